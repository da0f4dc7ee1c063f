/** The groups of operations in the documentation, in the order in which a reader needs them. */
export const TAGS = {
  Ingest: "Applications send events here. The public key in the path identifies the source.",
  Sources: "A source is one website or application that sends events.",
  "Tracking plan": "What the events of a source look like, and what they should look like.",
  Install: "What to paste into an application, and whether it works.",
  Debug: "What applications sent, what responses they got, and why.",
  Stats: "Queries over the accepted events of a source.",
  Export: "The accepted events.",
  "Coding agents": "Tools for the Model Context Protocol. Each is an operation of this API.",
  Workspaces: "A workspace has sources and members. Its id is `organizationId`.",
  Members: "The people of a workspace, and their roles.",
  Tokens: "Access tokens of people, servers and share links.",
  Accounts: "Your profile, your sessions, and the ways to sign in.",
  "Audit log": "Who changed what, and when.",
  Privacy: "The erasure of a visitor's data.",
  Usage: "How much a workspace uses, and facts for support.",
  Health: "For load balancers, monitoring and people on call.",
  Documents: "The documentation of the API, and the browser client.",
} as const;
export type Tag = keyof typeof TAGS;
