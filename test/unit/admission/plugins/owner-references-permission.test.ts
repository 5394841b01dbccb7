import { expect } from 'chai'
import { alwaysDeny } from '../../../../src/admission/plugins/always-deny.ts'
import { namespaceExists } from '../../../../src/admission/plugins/namespace-exists.ts'
import { ownerReferencesPermission } from '../../../../src/admission/plugins/owner-references-permission.ts'
import type { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import type { RequestAttributes } from '../../../../src/meta/context.ts'
import { notFoundError } from '../../../../src/meta/status.ts'
import { configMapResource } from '../../../../src/resources/core/config-map/definition.ts'
import { namespaceResource } from '../../../../src/resources/core/namespace/definition.ts'
import { nodeResource } from '../../../../src/resources/core/node/definition.ts'
import { podResource } from '../../../../src/resources/core/pod/definition.ts'
import { admissionRequest, refusal } from '../../../support/admission-request.ts'

const catalog = {
  ofKind: ({ version }: { version: string }, kind: string) =>
    [podResource, nodeResource]
      .map(definition => ({ definition, version: definition.hub }))
      .find(each => version === 'v1' && each.version.kind === kind),
} as unknown as CatalogSnapshot

/** Result for a user with these permissions (`delete configmaps in ns`), and the checks that were authorized. */
async function ask(rights: readonly string[], owners: object[] | undefined, old?: object[]): Promise<[string | undefined, string[]]> {
  const asked: string[] = []
  const authorize = async (_user: unknown, { verb, resource, subresource, namespace, name }: RequestAttributes) => {
    const right = `${verb} ${resource}${subresource && `/${subresource}`} ${name}${namespace && ` in ${namespace}`}`
    asked.push(right)
    return { decision: rights.includes(right) ? ('allow' as const) : ('no opinion' as const), reason: 'no' }
  }
  const plugin = ownerReferencesPermission({ authorize }, () => catalog)
  const object = (ownerReferences: object[] | undefined) => ({ metadata: { name: 'c', ...(ownerReferences && { ownerReferences }) } })
  const parts = { name: 'c', namespace: 'ns', ctx: { user: { name: 'u', groups: [] }, signal: new AbortController().signal } }
  const request = admissionRequest(configMapResource, object(owners), { ...parts, ...(old && { operation: 'UPDATE', old: object(old) }) })
  expect(plugin.handles(request)).to.equal(true)
  return [await refusal(plugin.validate?.(request)), asked]
}

const owner = (kind: string, blockOwnerDeletion?: boolean, apiVersion = 'v1') => ({
  apiVersion,
  kind,
  name: 'o',
  uid: `uid-${kind}`,
  ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
})
const DELETE = 'delete configmaps c in ns'
const ANY = 'update */finalizers *'
const POD = 'update pods/finalizers o in ns'

describe('OwnerReferencesPermissionEnforcement', () => {
  it('authorizes nothing if owners are unchanged, or an object is created with owners', async () => {
    expect(await ask([], undefined)).to.deep.equal([undefined, []])
    expect(await ask([], [owner('Pod')])).to.deep.equal([undefined, []])
    expect(await ask([], [owner('Pod', true)], [owner('Pod', true)])).to.deep.equal([undefined, []])
  })

  it('requires permission to delete the object to change its owners', async () => {
    expect(await ask([DELETE], [owner('Pod')], [])).to.deep.equal([undefined, [DELETE]])
    expect((await ask([], [], [owner('Pod')]))[0]).to.equal(
      `configmaps "c" is forbidden: cannot set an ownerRef on a resource you can't delete: no, <nil>`,
    )
  })

  it("requires permission to update the owner's finalizers to set blockOwnerDeletion", async () => {
    expect(await ask([POD], [owner('Pod', true)])).to.deep.equal([undefined, [ANY, POD]])
    expect(await ask([ANY], [owner('Pod', true)])).to.deep.equal([undefined, [ANY]])
    const refused = `configmaps "c" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no, <nil>`
    expect(await ask([POD], [owner('Pod', true), owner('Node', true)])).to.deep.equal([refused, [ANY, POD, 'update nodes/finalizers o']])
    expect(await ask([DELETE], [owner('Pod', true)], [owner('Pod', false)])).to.deep.equal([refused, [DELETE, ANY, POD]])
    expect(await ask([DELETE], [owner('Pod', true), owner('Node')], [owner('Pod', true)])).to.deep.equal([undefined, [DELETE]])
  })

  it('rejects owners of kinds that are not served', async () => {
    const refused = (apiVersion: string, why: string) =>
      `configmaps "c" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind Toy: ${why}`
    expect((await ask([], [owner('Toy', true)]))[0]).to.equal(refused('v1', 'no matches for kind "Toy" in version "v1"'))
    expect((await ask([], [owner('Toy', true, 'a/b/c')]))[0]).to.equal(refused('a/b/c', 'unexpected GroupVersion string: a/b/c'))
  })

  it('ignores pods/status', () => {
    const plugin = ownerReferencesPermission({ authorize: async () => ({ decision: 'deny', reason: '' }) }, () => catalog)
    const handles = (subresource: string) => plugin.handles(admissionRequest(podResource, {}, { operation: 'UPDATE', subresource }))
    expect([handles('status'), handles('')]).to.deep.equal([false, true])
  })
})

describe('NamespaceExists', () => {
  const plugin = namespaceExists(async name => {
    if (name !== 'here') throw notFoundError({ group: '', resource: 'namespaces' }, name)
    return { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }
  })
  const ask = (parts: object, definition = configMapResource) => {
    const request = admissionRequest(definition, { metadata: {} }, parts)
    return plugin.handles(request) ? refusal(plugin.validate?.(request)) : Promise.resolve('not looked at')
  }

  it('rejects every write in a namespace that does not exist', async () => {
    expect(await ask({ namespace: 'here' })).to.equal(undefined)
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'])
      expect(await ask({ namespace: 'gone', operation }), operation).to.equal('namespaces "gone" not found')
    expect(await ask({ namespace: '' })).to.equal('not looked at')
    expect(await ask({ namespace: 'gone' }, namespaceResource)).to.equal('not looked at')
  })
})

describe('AlwaysDeny', () => {
  it('rejects everything', async () => {
    const request = admissionRequest(configMapResource, {}, { operation: 'DELETE', name: 'c', object: undefined })
    expect(alwaysDeny.handles(request)).to.equal(true)
    expect(await refusal(alwaysDeny.mutate?.(request))).to.equal(
      'configmaps "c" is forbidden: admission control is denying all modifications',
    )
  })
})
