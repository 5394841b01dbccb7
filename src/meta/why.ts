// What `/binnacle/v1/why` speaks of: the package is published with these declarations, which import nothing.

/**
 * What a request goes through, step by step, as `/binnacle/v1/why` gives it. The shape is stable: members and steps may be added, and none changes its meaning. Times are in milliseconds. Values
 * of secrets are never among it (`src/why/redaction.ts`).
 */
export type WhyStep =
  | Authenticated
  | NotAuthenticated
  | Impersonated
  | Authorized
  | Seated
  | Faulted
  | Warned
  | Dropped
  | Defaulted
  | Conflicting
  | PluginRun
  | WebhookAsked
  | PolicyAsked
  | Annotated
  | Ruled
  | Attempted
  | Written
  | Read
  | StoreAsked
  | Converted

/** Who makes the request. */
export interface WhyUser {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  /** Of `extra` what is no credential; of the rest the names alone. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** By what the caller has shown who it is. */
export type WhyProof =
  | { readonly kind: 'client certificate'; readonly subject: string; readonly issuer: string; readonly notAfter: string }
  /** `source`: who knows the token. `issuer` and `expires` are those of a token that says them (a JWT). */
  | { readonly kind: 'token'; readonly source?: TokenSource; readonly issuer?: string; readonly expires?: string }
  /** `certificate`: the common name of the front proxy, which says in headers for whom it asks. */
  | { readonly kind: 'front proxy'; readonly certificate: string }
  /** The insecure port asks for no proof. */
  | { readonly kind: 'insecure port' }
  /** Nothing was shown. */
  | { readonly kind: 'none' }

export type TokenSource = 'token file' | 'service account' | 'bootstrap token' | 'issuer' | 'webhook'

interface Authenticated {
  readonly step: 'authenticated'
  readonly user: WhyUser
  readonly proof: WhyProof
}

interface NotAuthenticated {
  readonly step: 'not authenticated'
  readonly reason: string
}

interface Impersonated {
  readonly step: 'impersonated'
  readonly user: WhyUser
  /** Why its own user may do that: an answer for each user, group, uid or extra that is named. */
  readonly allowedBy: readonly string[]
}

/** Who may do what: the request itself, or with `of` what else had to be asked about (`impersonate users jane`). */
interface Authorized {
  readonly step: 'authorized'
  readonly decision: 'allow' | 'deny' | 'no opinion' | 'error'
  /** The mode that decided, as `--authorization-mode` names it; absent where none did. */
  readonly by?: string
  /** Of the modes Rules and ABAC: the rule of the file, from 1, or its line. */
  readonly rule?: number
  readonly reason: string
  readonly of?: string
}

interface Seated {
  readonly step: 'priority level'
  readonly priorityLevel: string
  readonly flowSchema: string
  readonly seats: number
  readonly waited: number
}

/** Faults on purpose. */
interface Faulted {
  readonly step: 'fault'
  readonly does: readonly string[]
}

interface Warned {
  readonly step: 'warning'
  readonly text: string
}

/** Fields of the body that have not come into the object. */
interface Dropped {
  readonly step: 'dropped'
  readonly because: 'unknown field' | 'feature gate' | 'not written here'
  /** JSON pointers, or as warnings name fields (`spec.replicaz`). */
  readonly fields: readonly string[]
  readonly gate?: string
}

interface Defaulted {
  readonly step: 'defaults'
  readonly changes: WhyChanges
}

/** Why an apply was refused: fields of others. */
interface Conflicting {
  readonly step: 'apply conflicts'
  readonly conflicts: readonly WhyConflict[]
}

export interface WhyConflict {
  readonly field: string
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  /** When this manager has written last. */
  readonly since?: string
}

export interface PluginRun {
  readonly step: 'admission plugin'
  readonly plugin: string
  readonly phase: 'mutating' | 'validating'
  readonly outcome: 'admitted' | 'refused'
  readonly milliseconds: number
  /** Of one that mutates. */
  readonly changes?: WhyChanges
}

export interface WebhookAsked {
  readonly step: 'webhook'
  readonly configuration: string
  readonly webhook: string
  readonly phase: 'mutating' | 'validating'
  /** 2: asked again, since what came after it had changed the object. */
  readonly round: 1 | 2
  /** `failed open`: it could not be asked, and its failures are ignored. */
  readonly outcome: 'admitted' | 'refused' | 'failed' | 'failed open'
  readonly milliseconds: number
  readonly message?: string
  /** As the webhook has sent it. */
  readonly patch?: WhyChanges
}

export interface PolicyAsked {
  readonly step: 'policy'
  readonly policy: string
  readonly binding?: string
  readonly phase: 'mutating' | 'validating'
  readonly outcome: 'admitted' | 'refused' | 'failed' | 'warned or audited'
  readonly milliseconds: number
  /** Of its expressions, in the units of CEL's cost budget (10,000,000 for a policy); absent where nothing was evaluated. */
  readonly cost?: number
  readonly messages?: readonly string[]
  readonly changes?: WhyChanges
}

interface Annotated {
  readonly step: 'audit annotation'
  readonly key: string
  readonly value: string
}

/** What the kind's own rules make of the object before it is validated. */
interface Ruled {
  readonly step: 'rules of the kind'
  readonly changes: WhyChanges
}

/** The write was tried on this state. A second attempt means that somebody else has written in between. */
interface Attempted {
  readonly step: 'attempt'
  readonly attempt: number
  /** Absent: there was no object. */
  readonly resourceVersion?: string
}

interface Written {
  readonly step: 'written'
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'dry run'
  readonly resourceVersion?: string
}

/** What a read has asked for. It comes from the store where a step `store` with `get` or `list` follows, and from the watch cache otherwise. */
interface Read {
  readonly step: 'read'
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly meaning: string
}

/** A call of the store. */
interface StoreAsked {
  readonly step: 'store'
  readonly operation: string
  readonly resource: string
  readonly milliseconds: number
  readonly failed?: string
}

/** Objects converted by the webhook of a definition. */
interface Converted {
  readonly step: 'conversion'
  readonly definition: string
  readonly from: string
  readonly to: string
  readonly objects: number
  readonly milliseconds: number
  readonly failed?: string
}

/** An operation of a JSON patch (RFC 6902). */
export interface WhyChange {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly value?: WhyValue
  readonly from?: string
}

/** A value of JSON. */
type WhyValue = null | boolean | number | bigint | string | WhyValue[] | { [name: string]: WhyValue }

/** Undefined is not told apart: nothing has changed. `too large`: the object has too many values to be compared. */
export type WhyChanges = readonly WhyChange[] | 'too large'
