import { Alert, Code, Group } from "@mantine/core";
import { CopyButton } from "./copy-button.tsx";

interface SecretAlertProps {
  readonly title: string;
  readonly secret: string;
  readonly copyLabel: string;
}

/** What the service does not know any more once it is made. */
export const SecretAlert = ({ title, secret, copyLabel }: SecretAlertProps) => (
  <Alert color="green" title={title} role="status" className="wrap">
    <Group gap="sm">
      <Code className="wrap">{secret}</Code>
      <CopyButton text={secret} label={copyLabel} />
    </Group>
  </Alert>
);
