/** The access tokens of the workspace. A token is shown once, when it is created. */
import type { Token } from "@headwater/contract";
import { lowerRole, type Role } from "@headwater/contract/roles";
import { useState } from "react";
import { api } from "../../api.ts";
import { roleName } from "../../role-texts.ts";
import { session } from "../../session.ts";
import { DAY_MS } from "../../time.ts";
import { DialogButton } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { ErrorAlert, Loading } from "../../ui/page-states.tsx";
import { ColumnHeads, usePagedQuery } from "../../ui/paged-table.tsx";
import { Badge, Group, Paper, Stack, Table, Text, Title } from "../../ui/primitives/elements.tsx";
import { ExpiryDay, RelativeTime, useNow } from "../../ui/relative-time.tsx";
import { RequirePermission } from "../../ui/require-permission.tsx";
import { isRevoked, RevokeTokenButton, type TokenUse } from "../../ui/revoke-token-button.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { SecretAlert } from "../../ui/secret-alert.tsx";
import { ShowMoreButton } from "../../ui/show-more-button.tsx";
import { useWorkspace } from "../../workspace-context.tsx";
import { type CreatedToken, CreateTokenForm } from "./create-token-form.tsx";
import { useMemberNames, useMemberRoles } from "./member-names.ts";
import { useSourceNames } from "./source-names.ts";
import "./tokens.css";

export function TokensPage() {
  const { can } = useWorkspace();
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const create = (
    <DialogButton label="Create token">
      {(close) => (
        <CreateTokenForm
          onCreated={(token) => {
            setCreated(token);
            close();
          }}
        />
      )}
    </DialogButton>
  );
  return (
    <Page
      title="Tokens"
      lead="A token acts as you, as a service account, or for one source. It never acts as another person."
      actions={can("tokens:manage") && create}
    >
      <RequirePermission permission="tokens:manage">
        <Tokens created={created} />
      </RequirePermission>
    </Page>
  );
}

function Tokens({ created }: { readonly created: CreatedToken | null }) {
  const { organizationId } = useWorkspace();
  const query = usePagedQuery(["tokens", organizationId], (cursor, signal) =>
    api.listTokens({ query: { organizationId, cursor }, signal }),
  );
  if (query.isPending) return <Loading />;
  const failure = query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  const tokens = query.data?.pages.flatMap((page) => page.tokens) ?? [];
  return (
    <Stack>
      {created && !isRevoked(created, tokens) && (
        <SecretAlert
          title={`Copy the token “${created.label}” now. It will not be shown again.`}
          secret={created.token}
          copyLabel="Copy token"
        />
      )}
      {GROUPS.map((group) => (
        <TokenGroup key={group.title} group={group} tokens={tokens.filter(group.has)} />
      ))}
      {failure}
      <ShowMoreButton query={query} />
    </Stack>
  );
}

interface TokenKind {
  readonly title: string;
  readonly what: TokenUse;
  readonly columns: readonly string[];
  readonly has: (token: Token) => boolean;
  /** The first two cells of a row. */
  readonly describe: (token: Token, names: TokenNames) => TokenText;
}

/** The names of what a token is about, and the role of its user; undefined: not known. */
interface TokenNames {
  readonly user: string | undefined;
  readonly role: Role | undefined;
  readonly source: string | undefined;
}

interface TokenText {
  readonly title: string;
  /** Parts of the line below the title, besides the end of the token. */
  readonly notes: readonly (string | false)[];
  readonly second: string;
}

const noteRole = ({ ceiling }: Token) => ceiling !== null && `Limited to the ${roleName(ceiling)} role`;

const describeKey: TokenKind["describe"] = (token, { user, role, source }) => {
  const { label, sourceId, organizationId, userId, ceiling } = token;
  if (sourceId !== null) return { title: label, notes: ["Sends events only"], second: source ?? sourceId };
  const allowed = role === undefined ? ceiling : lowerRole(role, ceiling);
  const scope = organizationId === null ? "all workspaces" : "this workspace";
  const notes = [allowed === null ? scope : `${roleName(allowed)}, ${scope}`];
  return { title: label, notes, second: user ?? userId };
};

const GROUPS: readonly TokenKind[] = [
  {
    title: "Access tokens",
    what: "token",
    columns: ["Token", "Acts as", "Created", "Last used", "Expires", ""],
    has: ({ scope }) => scope !== "stats" && scope !== "console",
    describe: describeKey,
  },
  {
    title: "Share links",
    what: "link",
    columns: ["Link", "Source", "Created", "Last used", "Expires", ""],
    has: ({ scope }) => scope === "stats",
    describe: ({ label, sourceId, hasPassword }, { source }) => ({
      title: label,
      notes: [hasPassword && "Password required"],
      second: source ?? sourceId ?? "—",
    }),
  },
  {
    title: "Browser sessions",
    what: "session",
    columns: ["Person", "Access", "Signed in", "Last used", "Ends", ""],
    has: ({ scope }) => scope === "console",
    describe: (token, { user }) => ({
      title: user ?? token.userId,
      notes: [token.label, noteRole(token)],
      second: token.organizationId === null ? "All workspaces" : "This workspace",
    }),
  },
];

interface TokenGroupProps {
  readonly group: TokenKind;
  readonly tokens: readonly Token[];
}

/** The tokens of one kind; nothing when there is none. */
function TokenGroup({ group: { title, what, columns, describe }, tokens }: TokenGroupProps) {
  const { userId: ownId } = useWorkspace();
  const now = useNow();
  const names = useMemberNames();
  const roles = useMemberRoles();
  const sourceNames = useSourceNames();
  if (tokens.length === 0) return null;
  return (
    <Paper component="section" aria-label={title}>
      <Title order={2} size="h5" p="md" pb="xs">
        {title}
      </Title>
      <ScrollRegion label={`${title} table`}>
        <Table className="stacked tokens" verticalSpacing="sm" horizontalSpacing="md">
          <ColumnHeads columns={columns} />
          <tbody>
            {tokens.map((token) => (
              <TokenRow
                key={token.tokenId}
                token={token}
                what={what}
                isIdle={isIdle(token, now)}
                text={describe(token, {
                  user: names.get(token.userId) ?? (token.userId === ownId ? "You" : undefined),
                  role: roles.get(token.userId),
                  source: sourceNames?.get(token.sourceId ?? ""),
                })}
                isInUse={token.userId === ownId && session.beganWith(token.hint)}
              />
            ))}
          </tbody>
        </Table>
      </ScrollRegion>
    </Paper>
  );
}

const IDLE_DAYS = 90;

/** Whether a token that never ends has not been used for long. */
const isIdle = ({ expiresAt, revokedAt, lastUsedAt, createdAt }: Token, now: number) =>
  expiresAt === null && revokedAt === null && now - Date.parse(lastUsedAt ?? createdAt) >= IDLE_DAYS * DAY_MS;

interface TokenRowProps {
  readonly token: Token;
  readonly what: TokenUse;
  readonly text: TokenText;
  readonly isIdle: boolean;
  /** Whether this browser is signed in with it. */
  readonly isInUse: boolean;
}

const TokenRow = ({ token, what, text: { title, notes, second }, isIdle, isInUse }: TokenRowProps) => (
  <tr>
    <td className="wrap">
      <Group gap="xs">
        <Text fw={600} className="clamp" title={title}>
          <bdi>{title}</bdi>
        </Text>{" "}
        {isInUse && <Badge>This browser</Badge>}
        {isIdle && <Badge color="yellow">Unused for {IDLE_DAYS} days</Badge>}
      </Group>
      <Text size="sm" c="dimmed" className="clamp">
        <code title="The last characters of the token">…{token.hint}</code>
        {notes.filter(Boolean).map((note) => ` · ${note}`)}
        {/* a session's browser leaves no room for it on a phone */}
        {what !== "session" && <span className="token-second"> · {second}</span>}
      </Text>
    </td>
    <td className="wrap">
      <bdi className="clamp" title={second}>
        {second}
      </bdi>
    </td>
    <td>
      <RelativeTime at={token.createdAt} />
    </td>
    <td>
      <RelativeTime at={token.lastUsedAt} missing="Never" />
    </td>
    <td>
      <ExpiryDay at={token.expiresAt} />
    </td>
    <td>
      <RevokeTokenButton token={token} what={what} />
    </td>
  </tr>
);
