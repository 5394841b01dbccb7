import type { ParamKind, ParamRef } from '../../api/admissionregistration/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import { getKind, type KindId } from '../../catalog/define.ts'
import type { ResourceAccess } from '../../catalog/resource-access.ts'
import type { HookContext } from '../../catalog/strategy.ts'
import { type Authorizer, isMaster, mayDo } from '../../meta/authorizer.ts'
import type { RequestContext, User } from '../../meta/context.ts'
import { deepEqual } from '../../meta/equal.ts'
import { type FieldError, forbidden } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { parseApiVersion } from '../../meta/gvk.ts'

/** Authorizes the author of a policy or binding to read its parameters. */
export interface ParamAccess {
  readonly authorizer: Authorizer
}

type ParamPolicy = TypedObject & { readonly spec: { readonly paramKind?: ParamKind } }
type ParamBinding = TypedObject & { readonly spec: { readonly policyName?: string; readonly paramRef?: ParamRef } }

const ANY = '*'
const ANYTHING = { group: ANY, version: ANY, resource: ANY }

/**
 * Returns the request to authorize, or undefined for the server itself and for members of system:masters, which may
 * read everything.
 */
const checkedRequest = ({ request }: HookContext): RequestContext | undefined =>
  request === undefined || isMaster(request.user) ? undefined : request

/** Resolves `paramKind` to a resource as far as possible; `*` replaces what cannot be resolved. */
function target(api: ResourceAccess, { apiVersion = '', kind = '' }: ParamKind) {
  const version = parseApiVersion(apiVersion)
  const resource = version && api.resourceOf(version, kind)?.resource
  return {
    group: version?.group ?? ANY,
    version: version?.version ?? ANY,
    resource: resource ?? ANY,
    isParsed: version !== undefined,
    isResolved: resource !== undefined,
  }
}

/**
 * Checks that the author of a policy may `get` all objects of its `paramKind`, since expressions can reveal their
 * contents. Source: pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go in k8s.io/kubernetes.
 */
export const checkParamKind =
  (access: ParamAccess) =>
  async (next: ParamPolicy, old: ParamPolicy | undefined, ctx: HookContext, errors: readonly FieldError[]): Promise<FieldError[]> => {
    const request = checkedRequest(ctx)
    const { paramKind } = next.spec
    if (errors.length > 0 || !request || !paramKind || (old?.spec.paramKind && deepEqual(paramKind, old.spec.paramKind))) return []
    const { group, version, resource } = target(ctx.access(), paramKind)
    if (await mayDo(access.authorizer, request, { verb: 'get', group, version, resource, namespace: ANY, name: ANY })) return []
    const { kind = '', apiVersion = '' } = paramKind
    const why = `user ${printUser(request.user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
    return [forbidden(fieldPath('spec', 'paramKind'), why)]
  }

/**
 * Checks that the author of a binding may read the objects of its `paramRef`. Upstream intends to skip updates that do
 * not change it, but compares pointers, so it checks every write.
 * @param refusal message of the error if the resource is known. That of mutating policies has its arguments in reverse
 * order.
 */
export const checkParamRef =
  (
    access: ParamAccess,
    policies: KindId<ParamPolicy>,
    refusal = (user: string, verb: string): string => `user ${user} does not have "${verb}" permission`,
  ) =>
  async (next: ParamBinding, _old: ParamBinding | undefined, ctx: HookContext, errors: readonly FieldError[]): Promise<FieldError[]> => {
    const request = checkedRequest(ctx)
    const { paramRef, policyName = '' } = next.spec
    if (errors.length > 0 || !request || !paramRef) return []
    // If the policy cannot be read, its parameters may be of any kind, so access to everything is required.
    const policy = await getKind(ctx.access(), policies, '', policyName).catch(() => undefined)
    const paramKind = policy?.spec.paramKind
    const { group, version, resource, ...known } = paramKind
      ? target(ctx.access(), paramKind)
      : { ...ANYTHING, isParsed: true, isResolved: true }
    const { name = '', namespace = '' } = paramRef
    const verb = name === '' ? 'list' : 'get'
    if (await mayDo(access.authorizer, request, { verb, group, version, resource, namespace, name })) return []
    const user = printUser(request.user)
    const obstacle = policy === undefined ? `get policy ${policyName}` : obstacleOf(known, paramKind)
    const why =
      obstacle === undefined
        ? `${refusal(user, verb)} on the object referenced by paramRef`
        : `unable to ${obstacle} to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`
    return [forbidden(fieldPath('spec', 'paramRef'), why)]
  }

/** Returns the reason why access to everything is required. */
function obstacleOf(
  { isParsed, isResolved }: { isParsed: boolean; isResolved: boolean },
  { apiVersion = '', kind = '' }: ParamKind = {},
): string | undefined {
  if (isParsed && isResolved) return undefined
  return `${isParsed ? 'resolve' : 'parse'} paramKind &{${apiVersion} ${kind}}`
}

/** Prints a user as Go prints a pointer to it: name, UID, groups and extra. */
function printUser({ name, uid = '', groups, extra = {} }: User): string {
  const extras = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${extras.join(' ')}]}`
}
