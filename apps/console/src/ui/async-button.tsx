import { Button, type ButtonProps } from "./primitives/elements.tsx";
import { useSingleFlight } from "./use-single-flight.ts";

interface AsyncButtonProps extends Omit<ButtonProps, "type" | "onClick"> {
  readonly isPending?: boolean;
  /** Submits the form around the button; the form has the handler. */
  readonly type?: "submit";
  readonly onPress?: () => unknown;
}

/**
 * A button for an asynchronous action. Presses during a running action are ignored. It uses `aria-disabled` instead of
 * `disabled`, because browsers take the focus away from a disabled button.
 */
export function AsyncButton({ isPending = false, disabled = false, onPress, ...rest }: AsyncButtonProps) {
  const press = useSingleFlight(() => onPress?.());
  const isInactive = isPending || disabled;
  return (
    <Button
      {...rest}
      aria-busy={isPending}
      aria-disabled={isInactive}
      data-disabled={disabled || undefined}
      // preventDefault also keeps the form from being submitted
      onClick={(event) => (isInactive ? event.preventDefault() : void press())}
    />
  );
}
