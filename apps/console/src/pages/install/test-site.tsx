/** Tests a page of the site from the server, and says check by check what is wrong and how to fix it. */
import type { InstallCheck, Source, Verification } from "@headwater/contract";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { API_BASE, ApiFailure, api } from "../../api.ts";
import { HEADWATER } from "../../command-name.ts";
import { AsyncButton } from "../../ui/async-button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ErrorAlert } from "../../ui/page-states.tsx";
import { Badge, type Color, Paper, Stack, Text, Title } from "../../ui/primitives/elements.tsx";
import { TextInput } from "../../ui/primitives/fields.tsx";
import { TextWithCode } from "../../ui/text-with-code.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { isLocalOrigin } from "./local-origin.ts";

const STATUS: Readonly<Record<InstallCheck["status"], { readonly label: string; readonly color: Color }>> = {
  ok: { label: "OK", color: "green" },
  warning: { label: "Warning", color: "yellow" },
  wrong: { label: "Failed", color: "red" },
  unknown: { label: "Not checked", color: "gray" },
};

interface TestSiteProps {
  readonly source: Source;
  /** The origin whose page is tested unless another is typed. */
  readonly site: string | undefined;
}

export function TestSite({ source: { sourceId, publicKey }, site }: TestSiteProps) {
  const isLocal = site !== undefined && isLocalOrigin(site);
  const [url, setUrl] = useState(site === undefined || isLocal ? "" : `${site}/`);
  const test = useMutation({
    mutationFn: () => api.testInstall({ params: { sourceId }, body: { url: url.trim() } }),
  });
  const failure = test.error instanceof ApiFailure ? test.error : null;
  return (
    <Paper p="lg" component="section" aria-label="Test my site">
      <Stack>
        <Title order={2} size="h5">
          3. Test my site
        </Title>
        <Text size="sm">
          Headwater opens a page and checks the snippet, the key, the origin and the Content Security Policy.
          This visit is not counted.
        </Text>
        {isLocal && (
          <CodeBlock
            title={`Headwater can open only public addresses. For ${site}, run this in a terminal:`}
            text={`${HEADWATER} doctor ${site}/ --key ${publicKey} --api ${new URL(API_BASE).href.replace(/\/+$/, "")}`}
          />
        )}
        <form onSubmit={useSubmit(() => test.mutateAsync())} className="in-line">
          <TextInput
            label="Page address"
            placeholder="https://www.example.com/"
            type="url"
            flex="1 1 16rem"
            spellCheck={false}
            value={url}
            error={failure?.issueAt("url")}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <AsyncButton
            type="submit"
            variant="default"
            isPending={test.isPending}
            disabled={url.trim() === ""}
          >
            Test my site
          </AsyncButton>
        </form>
        {test.error && <ErrorAlert error={test.error} />}
        {test.data && <TestResult result={test.data} />}
      </Stack>
    </Paper>
  );
}

function TestResult({ result: { isWorking, checks } }: { readonly result: Verification }) {
  const failed = checks.filter(({ status }) => status === "wrong").length;
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>
        {isWorking
          ? "Headwater works on this page."
          : failed === 0
            ? "The page could not be fully tested. See the checks below."
            : `${failed} of ${checks.length} checks failed.`}
      </Text>
      <ul className="site-checks">
        {checks.map((check) => (
          <CheckRow key={check.check} check={check} />
        ))}
      </ul>
    </Stack>
  );
}

/** Says where the text of a fix belongs. */
function titleOfFix(check: InstallCheck["check"], text: string): string {
  if (text.startsWith(`${HEADWATER} `)) return "Run in a terminal";
  if (check === "origin") return "Add this origin";
  if (check === "snippet") return "Paste into the page";
  if (check.startsWith("csp_") && !text.startsWith("<")) return "Set in the policy";
  return "Set in your code";
}

function CheckRow({ check: { check, status, message, hint, paste } }: { readonly check: InstallCheck }) {
  const needsAction = status === "wrong" || status === "warning";
  return (
    <li>
      <Badge color={STATUS[status].color}>{STATUS[status].label}</Badge>
      <div>
        <Text size="sm" className="wrap">
          <TextWithCode text={message} />
        </Text>
        {needsAction && hint !== null && (
          <Text size="sm" c="dimmed" className="wrap">
            <TextWithCode text={hint} />
          </Text>
        )}
        {needsAction && paste !== null && <CodeBlock title={titleOfFix(check, paste)} text={paste} />}
      </div>
    </li>
  );
}
