/** What to paste where, and whether it works. */
import type { InstallPayload, Source } from "@headwater/contract";
import { Button, NativeSelect, Paper, SegmentedControl, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { callApi } from "../../api.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { defaultExampleFor, EXAMPLES } from "./framework-examples.ts";
import { InstallStatus } from "./install-status.tsx";

export const InstallPage = () => (
  <SourcePage title="Install" permission="sources:read">
    {(source) => <Install source={source} />}
  </SourcePage>
);

function Install({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  const [path, setPath] = useState<string | null>(null);
  const query = useQuery({
    queryKey: ["install", sourceId, path],
    queryFn: ({ signal }) =>
      callApi("getInstall", { params: { sourceId }, query: path === null ? {} : { path }, signal }),
    placeholderData: (before) => before,
  });
  return (
    <Stack gap="lg" maw={920}>
      <InstallStatus source={source} />
      <QueryResult query={query}>
        {(install) => (
          <>
            <SnippetSection install={install} hint={source.frameworkHint} />
            <CspSection csp={install.csp} />
            <ProxySection
              key={install.proxy.path}
              proxy={install.proxy}
              onPath={setPath}
              error={query.error}
            />
          </>
        )}
      </QueryResult>
    </Stack>
  );
}

function SnippetSection({
  install,
  hint,
}: {
  readonly install: InstallPayload;
  readonly hint: string | null;
}) {
  const [chosen, choose] = useState(defaultExampleFor(hint));
  const example = EXAMPLES.find(({ value }) => value === chosen)!;
  const data = EXAMPLES.map(({ value, label }) => ({ value, label }));
  return (
    <Paper withBorder p="lg">
      <Stack>
        <Title order={2} size="h4">
          1. Paste the snippet
        </Title>
        <SegmentedControl
          visibleFrom="sm"
          aria-label="Framework"
          data={data}
          value={chosen}
          onChange={choose}
        />
        <NativeSelect
          hiddenFrom="sm"
          label="Framework"
          data={data}
          value={chosen}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        <Text size="sm">{example.step}</Text>
        <CodeBlock
          title={`${example.label} snippet`}
          text={example.code(install)}
          copyLabel="Copy the snippet"
        />
        <Title order={2} size="h4">
          2. Open the page
        </Title>
        <Text size="sm">
          From an origin that the source allows. The first page view shows above at once; if it is refused,
          the reason does.
        </Text>
      </Stack>
    </Paper>
  );
}

function CspSection({ csp }: { readonly csp: InstallPayload["csp"] }) {
  return (
    <Paper withBorder p="lg">
      <Stack>
        <Title order={2} size="h4">
          If the site has a Content-Security-Policy
        </Title>
        <CodeBlock title="Add to script-src" text={csp.scriptSrc.join(" ")} />
        <CodeBlock title="Add to connect-src" text={csp.connectSrc.join(" ")} />
        <CodeBlock
          title="Add to script-src as well, where inline scripts are let in by hash or nonce"
          text={csp.snippetHash}
        />
        <Text size="sm" c="dimmed">
          Not where 'unsafe-inline' lets them in: a hash would end that.
        </Text>
      </Stack>
    </Paper>
  );
}

const RULES = [
  { name: "nextjs", label: "Next.js" },
  { name: "nginx", label: "nginx" },
  { name: "caddy", label: "Caddy" },
  { name: "cloudflare", label: "Cloudflare" },
] as const;

interface ProxyProps {
  readonly proxy: InstallPayload["proxy"];
  readonly onPath: (path: string) => void;
  readonly error: Error | null;
}

function ProxySection({ proxy, onPath, error }: ProxyProps) {
  const [chosen, choose] = useState<string>("nginx");
  const [path, setPath] = useState(proxy.path);
  const rule = RULES.find(({ name }) => name === chosen)!;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPath(path.trim());
  };
  return (
    <Paper withBorder p="lg">
      <Stack>
        <Title order={2} size="h4">
          Through your own site
        </Title>
        <Text size="sm">
          Under a path of the site itself, so that lists of other hosts do not apply. Choose the path, put the
          rules where the site is served, and paste this snippet instead of the one above.
        </Text>
        <form onSubmit={submit} className="in-line">
          <TextInput
            label="Path"
            value={path}
            error={error?.message}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Use this path
          </Button>
        </form>
        <SegmentedControl
          aria-label="Where the site is served"
          data={RULES.map(({ name, label }) => ({ value: name, label }))}
          value={chosen}
          onChange={choose}
        />
        <CodeBlock title={`Rules for ${rule.label}`} text={proxy[rule.name]} />
        <CodeBlock title="Snippet for this path" text={proxy.browserSnippet} />
      </Stack>
    </Paper>
  );
}
