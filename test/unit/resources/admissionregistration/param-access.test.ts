import { expect } from 'chai'
import type { ParamKind, ParamRef } from '../../../../src/api/admissionregistration/v1.types.ts'
import type { ResourceAccess } from '../../../../src/catalog/resource-access.ts'
import type { RequestAttributes, RequestContext, User } from '../../../../src/meta/context.ts'
import { required } from '../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../src/meta/field-path.ts'
import { resourceAttributes } from '../../../../src/meta/request-attributes.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { checkParamKind, checkParamRef } from '../../../../src/resources/admissionregistration/param-access.ts'
import { VALIDATING_POLICIES } from '../../../../src/resources/kinds.ts'
import { hookContext } from '../../../support/hook-context.ts'

const JANE: User = { name: 'jane', groups: ['devs', 'all'], extra: { b: ['2'], a: ['1', 'x'] } }
const PRINTED = '&{jane  [devs all] map[a:[1 x] b:[2]]}'
const META = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'p' } }

describe('permission to read the parameters of policies', () => {
  let asked: RequestAttributes[]
  let allows: boolean
  const authorizer = {
    authorize: async (_user: User, info: RequestAttributes) => {
      asked.push(info)
      return { decision: allows ? ('allow' as const) : ('no opinion' as const), reason: '' }
    },
  }
  beforeEach(() => {
    asked = []
    allows = false
  })

  /** ConfigMaps are served. The policy `p`, the only one, has the given parameter kind. */
  const context = (paramKind: ParamKind | undefined, user: User = JANE) => {
    const access = {
      resourceOf: ({ version }: { version: string }, kind: string) =>
        version === 'v1' && kind === 'ConfigMap' ? { group: '', resource: 'configmaps' } : undefined,
      get: async (_id: unknown, _namespace: string, name: string) => {
        if (name !== 'p') throw notFoundError(VALIDATING_POLICIES, name)
        return { ...META, kind: 'ValidatingAdmissionPolicy', spec: { ...(paramKind && { paramKind }) } }
      },
    } as unknown as ResourceAccess
    const info = resourceAttributes({ verb: 'create', group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' })
    const request: RequestContext = { user, info, signal: new AbortController().signal, userAgent: '', receivedAt: 0, warn: () => {} }
    return hookContext({ request, access: () => access })
  }
  const policy = (paramKind?: ParamKind) => ({ ...META, kind: 'ValidatingAdmissionPolicy', spec: { ...(paramKind && { paramKind }) } })
  const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' }
  const ofKind = async (paramKind?: ParamKind, old?: ParamKind, user?: User) =>
    (await checkParamKind({ authorizer })(policy(paramKind), old && policy(old), context(paramKind, user), [])).map(
      ({ field, body }) => `${field}: ${body}`,
    )
  const told = () => asked.map(({ verb, group, version, resource, namespace, name }) => [verb, group, version, resource, namespace, name])

  it('is required for all objects of a paramKind', async () => {
    expect(await ofKind(CONFIG_MAP)).to.deep.equal([
      `spec.paramKind: Forbidden: user ${PRINTED} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    ])
    expect(told()).to.deep.equal([['get', '', 'v1', 'configmaps', '*', '*']])
    allows = true
    expect(await ofKind(CONFIG_MAP)).to.deep.equal([])
  })

  it('is required for all resources of the group if the kind is unknown', async () => {
    await ofKind({ apiVersion: 'example.com/v1', kind: 'Limit' })
    await ofKind({ apiVersion: 'a/b/c', kind: 'Limit' })
    expect(told()).to.deep.equal([
      ['get', 'example.com', 'v1', '*', '*', '*'],
      ['get', '*', '*', '*', '*', '*'],
    ])
  })

  it('is not checked for masters, without parameters, for unchanged ones, and for an invalid policy', async () => {
    expect(await ofKind(CONFIG_MAP, undefined, { name: 'root', groups: ['system:masters'] })).to.deep.equal([])
    expect(await ofKind()).to.deep.equal([])
    expect(await ofKind(CONFIG_MAP, CONFIG_MAP)).to.deep.equal([])
    const wrong = [required(fieldPath('spec'))]
    expect(await checkParamKind({ authorizer })(policy(CONFIG_MAP), undefined, context(CONFIG_MAP), wrong)).to.deep.equal([])
    expect(asked).to.deep.equal([])
    expect(await ofKind(CONFIG_MAP, { ...CONFIG_MAP, kind: 'Other' })).to.have.length(1)
  })

  const ofRef = async (paramRef: ParamRef | undefined, paramKind?: ParamKind, policyName = 'p') => {
    const binding = { ...META, kind: 'ValidatingAdmissionPolicyBinding', spec: { policyName, ...(paramRef && { paramRef }) } }
    return (await checkParamRef({ authorizer }, VALIDATING_POLICIES)(binding, undefined, context(paramKind), [])).map(
      ({ field, body }) => `${field}: ${body}`,
    )
  }

  it('is required for the objects that a paramRef selects', async () => {
    expect(await ofRef({ name: 'x', namespace: 'ns' }, CONFIG_MAP)).to.deep.equal([
      `spec.paramRef: Forbidden: user ${PRINTED} does not have "get" permission on the object referenced by paramRef`,
    ])
    expect(await ofRef({ selector: {} }, CONFIG_MAP)).to.deep.equal([
      `spec.paramRef: Forbidden: user ${PRINTED} does not have "list" permission on the object referenced by paramRef`,
    ])
    expect(told()).to.deep.equal([
      ['get', '', 'v1', 'configmaps', 'ns', 'x'],
      ['list', '', 'v1', 'configmaps', '', ''],
    ])
  })

  it('is denied with the reason if the paramKind cannot be determined', async () => {
    const everything = `to determine minimum required permissions and user ${PRINTED} does not have "get" permission for all groups, versions and resources`
    expect(await ofRef({ name: 'x' }, undefined, 'none')).to.deep.equal([
      `spec.paramRef: Forbidden: unable to get policy none ${everything}`,
    ])
    expect(await ofRef({ name: 'x' }, { apiVersion: 'a/b/c', kind: 'K' })).to.deep.equal([
      `spec.paramRef: Forbidden: unable to parse paramKind &{a/b/c K} ${everything}`,
    ])
    expect(await ofRef({ name: 'x' }, { apiVersion: 'v2', kind: 'K' })).to.deep.equal([
      `spec.paramRef: Forbidden: unable to resolve paramKind &{v2 K} ${everything}`,
    ])
    expect(await ofRef(undefined)).to.deep.equal([])
  })
})
