/** The install page: the snippet, whether events arrive, and what a CSP or a proxy needs. */
import type { InstallPayload, Source } from "@headwater/contract";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { QueryResult } from "../../ui/page-states.tsx";
import { Button, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../ui/primitives/fields.tsx";
import { Switcher } from "../../ui/switcher.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { SourcePage } from "../sources/source-page.tsx";
import { defaultExampleFor, EXAMPLES } from "./framework-examples.ts";
import { HostSplitAlert } from "./host-split.tsx";
import { HtmlSnippet } from "./html-snippet.tsx";
import "./install.css";
import { installQuery } from "./install-query.ts";
import { InstallStatus } from "./install-status.tsx";
import { isLocalOrigin } from "./local-origin.ts";
import { SnippetBlock } from "./snippet-block.tsx";
import { TestSite } from "./test-site.tsx";

export const InstallPage = () => (
  <SourcePage title="Install" permission="sources:read">
    {(source) => <Install source={source} />}
  </SourcePage>
);

function Install({ source }: { readonly source: Source }) {
  const { sourceId } = source;
  const { can } = useWorkspace();
  const sites = source.allowedOrigins.filter((origin) => /^https?:\/\/[^*]+$/.test(origin));
  const site = sites.find((origin) => !isLocalOrigin(origin)) ?? sites[0];
  const [path, setPath] = useState<string | null>(null);
  const query = useQuery({ ...installQuery(sourceId, path), placeholderData: (before) => before });
  return (
    <Stack gap="lg" maw={760}>
      <InstallStatus source={source} />
      {source.lastEventAt !== null && <HostSplitAlert sourceId={sourceId} />}
      <QueryResult query={query}>
        {(install) => (
          <>
            <SnippetSection install={install} hint={source.frameworkHint} />
            <OpenSiteSection />
            {can("sources:write") && <TestSite source={source} site={site} />}
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
  const [selected, select] = useState(defaultExampleFor(hint));
  const example = EXAMPLES.find(({ value }) => value === selected)!;
  const data = EXAMPLES.map(({ value, label }) => ({ value, label }));
  return (
    <Paper p="lg">
      <Stack>
        <Title order={2} size="h5">
          1. Add the snippet
        </Title>
        <NativeSelect
          maw={320}
          label="Framework"
          data={data}
          value={selected}
          onChange={(event) => select(event.currentTarget.value)}
        />
        {selected === "html" ? (
          <HtmlSnippet install={install} example={example} />
        ) : (
          <SnippetBlock example={example} text={example.code(install)} />
        )}
      </Stack>
    </Paper>
  );
}

const OpenSiteSection = () => (
  <Paper p="lg">
    <Stack>
      <Title order={2} size="h5">
        2. Open your site
      </Title>
      <Text size="sm">
        Open a page on one of the allowed origins. The top of this page then shows that events arrive. If the
        request is refused, the reason and the fix appear there.
      </Text>
    </Stack>
  </Paper>
);

function CspSection({ csp }: { readonly csp: InstallPayload["csp"] }) {
  return (
    <details className="more-section">
      <summary>
        <h2>Content Security Policy</h2>
        <span>What to add if your site has one</span>
      </summary>
      <Stack>
        <CodeBlock title="Add to script-src" text={csp.scriptSrc.join(" ")} />
        <CodeBlock title="Add to connect-src" text={csp.connectSrc.join(" ")} />
        <CodeBlock
          title="Add to script-src if your policy allows inline scripts only by hash or nonce"
          text={csp.snippetHash}
        />
        <Text size="sm" c="dimmed">
          Do not add the hash if your policy has 'unsafe-inline'. Browsers ignore 'unsafe-inline' when a hash
          is present.
        </Text>
      </Stack>
    </details>
  );
}

const PROXY_TARGETS = [
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
  const [selected, select] = useState<string>("nginx");
  const [path, setPath] = useState(proxy.path);
  const target = PROXY_TARGETS.find(({ name }) => name === selected)!;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onPath(path.trim());
  };
  return (
    <details className="more-section">
      <summary>
        <h2>Proxy through your site</h2>
        <span>Rules for Next.js, nginx, Caddy and Cloudflare</span>
      </summary>
      <Stack>
        <Text size="sm">
          Serve the script from a path on your own domain, so that blocklists of third-party hosts do not
          apply. Choose a path, add the rules to your web server, and use the snippet below instead of the one
          above.
        </Text>
        <form onSubmit={submit} className="in-line">
          <TextInput
            label="Path"
            value={path}
            error={error?.message}
            onChange={(event) => setPath(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Update path
          </Button>
        </form>
        <Switcher
          label="Web server"
          options={PROXY_TARGETS.map(({ name, label }) => ({ value: name, label }))}
          value={selected}
          onChange={select}
        />
        <CodeBlock title={`Rules for ${target.label}`} text={proxy[target.name]} />
        <CodeBlock title="Snippet for this path" text={proxy.browserSnippet} isFoldable />
      </Stack>
    </details>
  );
}
