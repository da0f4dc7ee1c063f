import { CopyButton } from "./copy-button.tsx";
import { Alert, Group } from "./primitives/elements.tsx";

interface SecretAlertProps {
  readonly title: string;
  readonly secret: string;
  readonly copyLabel: string;
}

/** Shows a secret right after its creation. The service stores only a hash, so it cannot show it again. */
export const SecretAlert = ({ title, secret, copyLabel }: SecretAlertProps) => (
  <Alert color="green" title={title} role="status" className="wrap">
    <Group gap="sm">
      <code className="wrap code">{secret}</code>
      <CopyButton text={secret} label={copyLabel} isPrimary />
    </Group>
  </Alert>
);
