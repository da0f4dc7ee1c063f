import { Button, type ButtonProps } from "@mantine/core";
import { useOnce } from "./use-once.ts";

interface WorkButtonProps extends Omit<ButtonProps, "loading" | "data-disabled"> {
  readonly isWorking?: boolean;
  /** Sends its form, which says what is done then. */
  readonly type?: "submit";
  readonly onPress?: () => unknown;
}

/**
 * The button of what takes a while: it begins once at a time, and says that it works. It keeps the focus then, and where
 * it cannot be pressed: one that is `disabled` would lose it.
 */
export function WorkButton({ isWorking = false, disabled = false, onPress, ...rest }: WorkButtonProps) {
  const press = useOnce(() => onPress?.());
  const isDeaf = isWorking || disabled;
  return (
    <Button
      {...rest}
      aria-busy={isWorking}
      aria-disabled={isDeaf}
      data-disabled={disabled}
      // prevented, it does not send its form either
      onClick={(event) => (isDeaf ? event.preventDefault() : void press())}
    />
  );
}
