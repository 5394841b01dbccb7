import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Attributes of an authorization check. */
export type AuthorizationQuestion =
  | { readonly verb: string; readonly serviceAccount?: ServiceAccountName; readonly path: string }
  | {
      readonly verb: string
      readonly serviceAccount?: ServiceAccountName
      readonly group: string
      readonly resource: string
      readonly subresource: string
      readonly namespace: string
      readonly name: string
      /** Selectors as written. A selector that cannot be parsed is ignored. */
      readonly fieldSelector: string
      readonly labelSelector: string
    }

/** Service account that a check is made for, instead of the user of the request. */
export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** Decision of the authorizer. A check that failed is not allowed, and has an error. */
export interface AuthorizationResult {
  /** False for a denial, for no opinion, and if the authorizer failed. */
  readonly allowed: boolean
  /** Reason of the authorizer. May be empty. */
  readonly reason: string
  /** Set if the authorizer failed. */
  readonly error?: string
}

/**
 * Authorizes the user of the request, or the service account of the question. It is called during an evaluation and
 * must be synchronous. If the authorizer has to wait, it throws ValuePending, and the expression is evaluated again
 * when the decision is available.
 */
export type Ask = (question: AuthorizationQuestion) => AuthorizationResult

/** A value that has functions but no equality. */
abstract class AuthorizationValue extends CelObject {
  /** cel-go has no equality for these values: comparing them is an error. */
  equals(other: Value): boolean | CelError {
    return noSuchOverload(other)
  }
}

/** The variable `authorizer`. The authorizer is not called before a check is complete. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Authorizer'
  readonly ask: Ask
  /** Service account to check. Undefined for the user of the request. */
  readonly serviceAccount: ServiceAccountName | undefined

  constructor(ask: Ask, serviceAccount?: ServiceAccountName) {
    super()
    this.ask = ask
    this.serviceAccount = serviceAccount
  }
}

/** A check of a non-resource path: `authorizer.path('/healthz')`. */
class PathCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.PathCheck'
  readonly authorizer: AuthorizerValue
  readonly path: string

  constructor(authorizer: AuthorizerValue, path: string) {
    super()
    this.authorizer = authorizer
    this.path = path
  }
}

/** A check that has a group but no resource yet. */
class GroupCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.GroupCheck'
  readonly authorizer: AuthorizerValue
  readonly group: string

  constructor(authorizer: AuthorizerValue, group: string) {
    super()
    this.authorizer = authorizer
    this.group = group
  }
}

/** Resource attributes of a check. */
export interface CheckedResource {
  /** Empty for the core group. */
  readonly group: string
  readonly resource: string
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for all namespaces. */
  readonly namespace: string
  /** Empty for all names. */
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

/** A check of a resource. Values are immutable, so each call of a builder function returns a new check. */
export class ResourceCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.ResourceCheck'
  readonly authorizer: AuthorizerValue
  readonly resource: CheckedResource

  constructor(authorizer: AuthorizerValue, resource: CheckedResource) {
    super()
    this.authorizer = authorizer
    this.resource = resource
  }

  /** Returns the check with some attributes replaced. */
  with(change: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...change })
  }
}

/** Result of `check`. */
class DecisionValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Decision'
  readonly answer: AuthorizationResult

  constructor(answer: AuthorizationResult) {
    super()
    this.answer = answer
  }
}

/** Default attributes: an empty name or namespace means any. */
const NOTHING = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }

/** Returns the check of a request's own resource, which is the variable `authorizer.requestResource`. */
export const requestResource = (
  authorizer: AuthorizerValue,
  resource: Partial<CheckedResource> & { group: string; resource: string },
): ResourceCheck => new ResourceCheck(authorizer, { ...NOTHING, ...resource })

/** Sets the service account. Its names are validated because they become part of a user name. */
function serviceAccount({ ask }: AuthorizerValue, namespace: string, name: string): Value {
  if (nameIsDnsSubdomain(name, false).length > 0) return new CelError('Invalid service account name')
  if (nameIsDnsLabel(namespace, false).length > 0) return new CelError('Invalid service account namespace')
  return new AuthorizerValue(ask, { namespace, name })
}

/** Calls the authorizer. Throws ValuePending if the decision has to be awaited (see `Ask`). */
const asked = ({ ask, serviceAccount: account }: AuthorizerValue, question: AuthorizationQuestion): Value =>
  new DecisionValue(ask(account ? { ...question, serviceAccount: account } : question))

/** Functions of the authorizer. Source: kubernetes/apiserver, pkg/cel/library/authz.go. */
export const AUTHORIZATION_FUNCTIONS: Implementations = {
  authorizer_path: (authorizer: AuthorizerValue, path: string) =>
    path.trim() === '' ? new CelError('path must not be empty') : new PathCheck(authorizer, path),
  authorizer_group: (authorizer: AuthorizerValue, group: string) => new GroupCheck(authorizer, group),
  authorizer_serviceaccount: serviceAccount,
  groupcheck_resource: ({ authorizer, group }: GroupCheck, resource: string) =>
    resource.trim() === '' ? new CelError('resource must not be empty') : requestResource(authorizer, { group, resource }),
  resourcecheck_subresource: (check: ResourceCheck, subresource: string) => check.with({ subresource }),
  resourcecheck_namespace: (check: ResourceCheck, namespace: string) => check.with({ namespace }),
  resourcecheck_name: (check: ResourceCheck, name: string) => check.with({ name }),
  authorizer_fieldselector: (check: ResourceCheck, fieldSelector: string) => check.with({ fieldSelector }),
  authorizer_labelselector: (check: ResourceCheck, labelSelector: string) => check.with({ labelSelector }),
  pathcheck_check: ({ authorizer, path }: PathCheck, verb: string) => asked(authorizer, { verb, path }),
  resourcecheck_check: ({ authorizer, resource }: ResourceCheck, verb: string) => asked(authorizer, { verb, ...resource }),
  decision_allowed: ({ answer }: DecisionValue) => answer.allowed,
  decision_reason: ({ answer }: DecisionValue) => answer.reason,
  decision_errored: ({ answer }: DecisionValue) => answer.error !== undefined,
  decision_error: ({ answer }: DecisionValue) => answer.error ?? '',
}
