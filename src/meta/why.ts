// Declarations of `/binnacle/v1/why`. The package publishes them, so this file imports nothing.

/**
 * A step of a request, as `/binnacle/v1/why` reports it. The format is stable: members and steps may be added, and none
 * changes its meaning. Times are in milliseconds. Values of secrets are never included (`src/why/redaction.ts`).
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
  | WebhookCallStep
  | PolicyStep
  | Annotated
  | Ruled
  | Attempted
  | Written
  | Read
  | StoreCallStep
  | Converted

/** The user of the request. */
export interface WhyUser {
  readonly name: string
  /** Omitted if the authenticator set none. */
  readonly uid?: string
  /** All groups, including those that the server adds, such as `system:authenticated`. */
  readonly groups: readonly string[]
  /** Members of `extra` that are no credentials. Others have only their names. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Credential that the request presented. */
export type WhyProof =
  | { readonly kind: 'client certificate'; readonly subject: string; readonly issuer: string; readonly notAfter: string }
  /** `source` is the authenticator that accepted the token. `issuer` and `expires` are those of a JWT. */
  | { readonly kind: 'token'; readonly source?: TokenSource; readonly issuer?: string; readonly expires?: string }
  /** `certificate` is the common name of the front proxy, which names the user in headers. */
  | { readonly kind: 'front proxy'; readonly certificate: string }
  /** The insecure port does not authenticate. */
  | { readonly kind: 'insecure port' }
  /** No credential was presented. */
  | { readonly kind: 'none' }

/** Authenticator that accepted a token. */
export type TokenSource = 'token file' | 'service account' | 'bootstrap token' | 'issuer' | 'webhook'

/**
 * The user of the request is known. A request that is accepted as anonymous has this step too, with the proof `none`.
 */
interface Authenticated {
  readonly step: 'authenticated'
  /** User with all groups. */
  readonly user: WhyUser
  /** Credential that was accepted. */
  readonly proof: WhyProof
}

/**
 * An authenticator rejected a credential, or no authenticator accepted the request. After a rejection, another
 * authenticator may still accept the request: the step `authenticated` follows then.
 */
interface NotAuthenticated {
  readonly step: 'not authenticated'
  /** Error of the authenticator. */
  readonly reason: string
}

/** The user of the credential acts as another user. Later steps are about that user. */
interface Impersonated {
  readonly step: 'impersonated'
  /** The impersonated user. */
  readonly user: WhyUser
  /** Reasons why impersonation is allowed: one for each user, group, UID or extra that is impersonated. */
  readonly allowedBy: readonly string[]
}

/**
 * Result of an authorization: of the request itself, or with `of` of another permission that it needs
 * (`impersonate users jane`).
 */
interface Authorized {
  readonly step: 'authorized'
  /** `error`: the request is not allowed, and an authorizer failed. */
  readonly decision: 'allow' | 'deny' | 'no opinion' | 'error'
  /** Mode that decided, as in `--authorization-mode`. Omitted if none did. */
  readonly by?: string
  /** Rule in the file of the mode Rules or ABAC: its index, from 1, or its line. */
  readonly rule?: number
  /** Reason that the authorizer gave. Empty if it gave none. */
  readonly reason: string
  /** Omitted if the request itself was authorized. */
  readonly of?: string
}

/** The request was dispatched by API Priority and Fairness. Rejected requests lack this step. */
interface Seated {
  readonly step: 'priority level'
  /** Name of the PriorityLevelConfiguration. */
  readonly priorityLevel: string
  /** Name of the FlowSchema that matched. */
  readonly flowSchema: string
  /** Initial seats. The final seats of a write, which cover the delivery of its watch events, are not included. */
  readonly seats: number
  /** Time in the queue of the priority level. */
  readonly waited: number
}

/** An injected fault. */
interface Faulted {
  readonly step: 'fault'
  /** Effects of the fault: the names of the members of its specification, except `match` and `rate`. */
  readonly does: readonly string[]
}

/** A warning that the response carries as a `Warning` header. */
interface Warned {
  readonly step: 'warning'
  /** Text without the code and agent of the header. */
  readonly text: string
}

/** Fields of the body that are not part of the object. */
interface Dropped {
  readonly step: 'dropped'
  /** Reason. `not written here`: the resource or subresource does not write the field. */
  readonly because: 'unknown field' | 'feature gate' | 'not written here'
  /** JSON pointers, or field names as in warnings (`spec.replicaz`). */
  readonly fields: readonly string[]
  /** Gate that is off. Omitted for other reasons, and if the field cannot be attributed to one gate. */
  readonly gate?: string
}

/** Defaults that decoding the body has set. */
interface Defaulted {
  readonly step: 'defaults'
  readonly changes: WhyChanges
}

/** Conflicts of an apply with fields of other managers. */
interface Conflicting {
  readonly step: 'apply conflicts'
  /** Conflicts, at most 100. */
  readonly conflicts: readonly WhyConflict[]
}

/** A field that another manager owns. */
export interface WhyConflict {
  /** Path as in the error message: `.spec.replicas`. */
  readonly field: string
  /** Name of the field manager. */
  readonly manager: string
  /** `Apply` or `Update`. */
  readonly operation: string
  /** Subresource of the manager's writes. Omitted for writes of the object itself. */
  readonly subresource?: string
  /** Time of the manager's last write. */
  readonly since?: string
}

/** A run of an admission plugin. */
export interface PluginRun {
  readonly step: 'admission plugin'
  /** Name as in `--enable-admission-plugins`. */
  readonly plugin: string
  /** Phase of admission. A plugin with both has two steps. */
  readonly phase: 'mutating' | 'validating'
  readonly outcome: 'admitted' | 'refused'
  readonly milliseconds: number
  /** Changes by a mutating plugin. */
  readonly changes?: WhyChanges
}

/** A call to an admission webhook. */
export interface WebhookCallStep {
  readonly step: 'webhook'
  /** Name of the MutatingWebhookConfiguration or ValidatingWebhookConfiguration. */
  readonly configuration: string
  /** Name of the webhook in its configuration. */
  readonly webhook: string
  /** Phase of admission, which follows from the kind of the configuration. */
  readonly phase: 'mutating' | 'validating'
  /** 2 if the webhook was reinvoked, because a later plugin or webhook had changed the object. */
  readonly round: 1 | 2
  /** `failed open`: the call failed and the failure policy is Ignore. */
  readonly outcome: 'admitted' | 'refused' | 'failed' | 'failed open'
  readonly milliseconds: number
  /** Message of the rejection or of the failed call. */
  readonly message?: string
  /** Patch that the webhook returned. */
  readonly patch?: WhyChanges
}

/** An evaluation of an admission policy. */
export interface PolicyStep {
  readonly step: 'policy'
  /** Name of the ValidatingAdmissionPolicy or MutatingAdmissionPolicy. */
  readonly policy: string
  /** Name of the binding. A policy is evaluated once for each binding that matches the request. */
  readonly binding?: string
  /** Phase of admission, which follows from the kind of the policy. */
  readonly phase: 'mutating' | 'validating'
  /**
   * `failed`: an expression failed, and the failure policy is Ignore. `warned or audited`: the request violates the
   * policy, and the binding does not deny it.
   */
  readonly outcome: 'admitted' | 'refused' | 'failed' | 'warned or audited'
  readonly milliseconds: number
  /**
   * Cost of the evaluated expressions, in units of the CEL cost budget (10,000,000 for a policy). Omitted if none was
   * evaluated.
   */
  readonly cost?: number
  /** Messages of violations and of expressions that failed. */
  readonly messages?: readonly string[]
  /** Changes by a mutating policy. */
  readonly changes?: WhyChanges
}

/** An annotation of the audit event. It is recorded even if no event is written. */
interface Annotated {
  readonly step: 'audit annotation'
  /** Key such as `authorization.k8s.io/decision`. */
  readonly key: string
  readonly value: string
}

/** Changes to the object by the kind's own rules, before validation. */
interface Ruled {
  readonly step: 'rules of the kind'
  readonly changes: WhyChanges
}

/** An attempt to write, based on this state. A second attempt means that another client has written in between. */
interface Attempted {
  readonly step: 'attempt'
  /** Counts from 1. */
  readonly attempt: number
  /** Omitted if there was no object. */
  readonly resourceVersion?: string
}

/** Result of the write. Omitted if every attempt failed. */
interface Written {
  readonly step: 'written'
  /** `unchanged`: the object already had this content, so nothing was written. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'dry run'
  /** Revision of the write, also for `deleted`. Omitted for a dry run. */
  readonly resourceVersion?: string
}

/**
 * Parameters of a read. It was served from the store if a step `store` with `get` or `list` follows, and otherwise from
 * the watch cache.
 */
interface Read {
  readonly step: 'read'
  /** Query parameter. Empty if unset. */
  readonly resourceVersion: string
  /** Query parameter. Empty if unset. */
  readonly resourceVersionMatch: string
  /** Phrase that says which state is returned, and whether the watch cache or the store serves it. */
  readonly meaning: string
}

/** A call to the store. */
interface StoreCallStep {
  readonly step: 'store'
  /** Operation of the backend, such as `get` or `list`. */
  readonly operation: string
  /** Resource whose key is read or written. */
  readonly resource: string
  readonly milliseconds: number
  /** Error of the call. Omitted if it succeeded. */
  readonly failed?: string
}

/** Conversion of objects by the webhook of a definition. */
interface Converted {
  readonly step: 'conversion'
  /** Name of the CustomResourceDefinition. */
  readonly definition: string
  /** `apiVersion` of the first object. */
  readonly from: string
  /** `apiVersion` that the response must have. */
  readonly to: string
  /** Number of objects in the call. */
  readonly objects: number
  readonly milliseconds: number
  /** Error of the call. Omitted if it succeeded. */
  readonly failed?: string
}

/** An operation of a JSON patch (RFC 6902). */
export interface WhyChange {
  /**
   * Operation. The server's own comparison yields only `add`, `remove` and `replace`; patches of webhooks may have any.
   */
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  /** JSON pointer (RFC 6901). */
  readonly path: string
  /** Only for `add`, `replace` and `test`. */
  readonly value?: WhyValue
  /** Source of `move` and `copy`, as a JSON pointer. */
  readonly from?: string
}

/** A JSON value. */
type WhyValue = null | boolean | number | bigint | string | WhyValue[] | { [name: string]: WhyValue }

/**
 * Changes of an object as a JSON patch, empty if nothing has changed. `too large`: the object has too many values to
 * compare.
 */
export type WhyChanges = readonly WhyChange[] | 'too large'
