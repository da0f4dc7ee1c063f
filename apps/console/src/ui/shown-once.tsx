import { Alert, Code, Group } from "@mantine/core";
import { Copy } from "./copy.tsx";

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly copyLabel: string;
}

/** What the service does not know any more once it is made. */
export const ShownOnce = ({ title, secret, copyLabel }: ShownOnceProps) => (
  <Alert color="green" title={title} role="status" className="wrap">
    <Group gap="sm">
      <Code className="wrap">{secret}</Code>
      <Copy text={secret} label={copyLabel} />
    </Group>
  </Alert>
);
