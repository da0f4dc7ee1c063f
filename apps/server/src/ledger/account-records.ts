/** The plain values of sign-ins, and of notes in the audit log. */
import type { Role } from "@headwater/contract";
import type { InvitationRecord } from "./records.ts";

/** A person at the identity provider. */
export interface IdentityRecord {
  issuer: string;
  subject: string;
  /** An address that the provider has verified. */
  email: string | null;
  name: string | null;
}

/** An invitation with names to show. */
export interface OfferedInvitation extends InvitationRecord {
  organizationName: string;
  inviterName: string | null;
}

/** What a sign-in code would do. */
export interface SignInOffer {
  userId: string;
  name: string | null;
  email: string | null;
  /** The person's workspaces. Empty for a new account. */
  organizations: { name: string; role: Role }[];
  /** The invitation that the sign-in accepts; null: none. */
  invitation: OfferedInvitation | null;
  expiresAt: number;
}

/** Something for the audit log that changes nothing else. */
export interface AuditNote {
  organizationId: string;
  actor: { userId: string | null; tokenId: string | null };
  action: string;
  target: string;
  after: object;
  now: number;
}
