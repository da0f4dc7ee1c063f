import { Button, type ButtonProps } from "@mantine/core";
import { useSingleFlight } from "./use-single-flight.ts";

interface AsyncButtonProps extends Omit<ButtonProps, "loading" | "data-disabled"> {
  readonly isPending?: boolean;
  /** Sends its form, which says what is done then. */
  readonly type?: "submit";
  readonly onPress?: () => unknown;
}

/**
 * The button of what takes a while: it begins once at a time, and says that it works. It keeps the focus then, and where
 * it cannot be pressed: one that is `disabled` would lose it.
 */
export function AsyncButton({ isPending = false, disabled = false, onPress, ...rest }: AsyncButtonProps) {
  const press = useSingleFlight(() => onPress?.());
  const isDeaf = isPending || disabled;
  return (
    <Button
      {...rest}
      aria-busy={isPending}
      aria-disabled={isDeaf}
      data-disabled={disabled}
      // prevented, it does not send its form either
      onClick={(event) => (isDeaf ? event.preventDefault() : void press())}
    />
  );
}
