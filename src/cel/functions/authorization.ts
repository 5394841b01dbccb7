import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** What an expression asks the authorizer. */
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
      /** Texts as given; one that cannot be parsed narrows nothing. */
      readonly fieldSelector: string
      readonly labelSelector: string
    }

/** Whom a check is made for instead of the user of the request. */
export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** What the authorizer says. A check that could not be decided is not allowed, and has an error. */
export interface AuthorizationAnswer {
  readonly allowed: boolean
  readonly reason: string
  /** Why it could not be decided. */
  readonly error?: string
}

/**
 * Answers for the user of the request, or for the service account that a question names. It is asked while an expression runs, so it answers at once; where it would have to wait it
 * throws, and the expression is run again when the answer is there (see ValuePending).
 */
export type Ask = (question: AuthorizationQuestion) => AuthorizationAnswer

/** Values that have functions but nothing to compare. */
abstract class AuthorizationValue extends CelObject {
  equals(other: Value): boolean | CelError {
    return noSuchOverload(other)
  }
}

/** The variable `authorizer`: nothing is asked before a check is complete. */
export class AuthorizerValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Authorizer'
  readonly ask: Ask
  readonly serviceAccount: ServiceAccountName | undefined

  constructor(ask: Ask, serviceAccount?: ServiceAccountName) {
    super()
    this.ask = ask
    this.serviceAccount = serviceAccount
  }
}

/** A check of a path that is no resource: `authorizer.path('/healthz')`. */
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

/** A check of which only the group is known: a resource has to follow. */
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

/** The resource that a check is about. */
export interface CheckedResource {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly fieldSelector: string
  readonly labelSelector: string
}

/** A check of a resource; each step makes a new one, for expressions share values. */
export class ResourceCheck extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.ResourceCheck'
  readonly authorizer: AuthorizerValue
  readonly resource: CheckedResource

  constructor(authorizer: AuthorizerValue, resource: CheckedResource) {
    super()
    this.authorizer = authorizer
    this.resource = resource
  }

  /** The check with some of its attributes replaced. */
  with(change: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.resource, ...change })
  }
}

/** What `check` gives. */
class DecisionValue extends AuthorizationValue {
  readonly typeName = 'kubernetes.authorization.Decision'
  readonly answer: AuthorizationAnswer

  constructor(answer: AuthorizationAnswer) {
    super()
    this.answer = answer
  }
}

/** What a check does not name, is empty: any name, any namespace. */
const NOTHING = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' }

/** The check of a request's own resource: what `authorizer.requestResource` is. */
export const requestResource = (authorizer: AuthorizerValue, resource: Partial<CheckedResource> & { group: string; resource: string }): ResourceCheck =>
  new ResourceCheck(authorizer, { ...NOTHING, ...resource })

/** Names are checked here, for they become part of the name of a user. */
function serviceAccount({ ask }: AuthorizerValue, namespace: string, name: string): Value {
  if (nameIsDnsSubdomain(name, false).length > 0) return new CelError('Invalid service account name')
  if (nameIsDnsLabel(namespace, false).length > 0) return new CelError('Invalid service account namespace')
  return new AuthorizerValue(ask, { namespace, name })
}

/** Throws where the answer has to be waited for (see `Ask`). */
const asked = ({ ask, serviceAccount: account }: AuthorizerValue, question: AuthorizationQuestion): Value =>
  new DecisionValue(ask(account ? { ...question, serviceAccount: account } : question))

/** Source: kubernetes/apiserver, pkg/cel/library/authz.go. */
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
