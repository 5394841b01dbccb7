import { expect } from 'chai'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry } from '../../support/builtin-registry.ts'
import { serverOver } from '../../support/connect-world.ts'
import type { TestServer } from '../../support/server.ts'

const APPLY = 'application/apply-patch+yaml'
const MERGE = 'application/merge-patch+json'
const JSON_TYPE = 'application/json'

/** Cases of kubernetes/kubernetes test/integration/apiserver/apply/scale_test.go. */
const kinds: [kind: string, root: string, plural: string][] = [
  ['Deployment', '/apis/apps/v1', 'deployments'],
  ['StatefulSet', '/apis/apps/v1', 'statefulsets'],
  ['ReplicaSet', '/apis/apps/v1', 'replicasets'],
  ['ReplicationController', '/api/v1', 'replicationcontrollers'],
]

describe('scale and managed fields', () => {
  let server: TestServer
  before(async () => {
    server = await serverOver(builtinRegistry(), { addressTypes: [], port: 1 })
  })
  after(() => server.close())

  const send = async (method: string, path: string, type: string, body: object) => {
    const answer = await server.plain(path, { method, headers: { 'content-type': type }, body: JSON.stringify(body) })
    return { status: answer.status, body: JSON.parse(answer.body.toString()) as AnyObject & { message: string } }
  }
  const read = async (path: string): Promise<AnyObject> => JSON.parse((await server.plain(path)).body.toString())
  const replicas = ({ spec, metadata }: AnyObject) => ({
    replicas: spec.replicas,
    owners: (metadata.managedFields ?? [])
      .filter(
        ({ fieldsV1 }) => (fieldsV1 as { 'f:spec'?: object })?.['f:spec'] && 'f:replicas' in (fieldsV1 as { 'f:spec': object })['f:spec'],
      )
      .map(
        ({ manager, operation, apiVersion, subresource, time }) =>
          `${manager} ${operation} ${apiVersion} ${subresource ?? '-'} ${time ? 'timed' : 'untimed'}`,
      ),
  })

  for (const [kind, root, plural] of kinds) {
    it(`agree for ${plural}`, async () => {
      const path = `${root}/namespaces/default/${plural}/test`
      const apiVersion = root.replace(/^\/apis?\//, '')
      const labels = { app: 'nginx' }
      const object = {
        apiVersion,
        kind,
        metadata: { name: 'test' },
        spec: {
          replicas: 1,
          selector: kind === 'ReplicationController' ? labels : { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:1' }] } },
        },
      }
      const scale = (count: number) => ({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'test', namespace: 'default' },
        spec: { replicas: count },
      })
      const state = async () => replicas(await read(path))

      expect((await send('PATCH', `${path}?fieldManager=apply_test`, APPLY, object)).status).to.equal(201)
      expect(await state()).to.deep.equal({ replicas: 1, owners: [`apply_test Apply ${apiVersion} - timed`] })

      expect((await send('PATCH', `${path}/scale?fieldManager=scale_test`, MERGE, { spec: { replicas: 5 } })).status).to.equal(200)
      expect(await state()).to.deep.equal({ replicas: 5, owners: [`scale_test Update ${apiVersion} scale untimed`] })

      expect((await send('PATCH', `${path}?fieldManager=apply_test`, APPLY, object)).status).to.equal(409)
      expect((await send('PATCH', `${path}?fieldManager=apply_test&force=true`, APPLY, object)).status).to.equal(200)
      expect(await state()).to.deep.equal({ replicas: 1, owners: [`apply_test Apply ${apiVersion} - timed`] })

      const conflict = await send('PATCH', `${path}/scale?fieldManager=apply_scale`, APPLY, scale(17))
      expect(conflict.status).to.equal(409)
      expect(conflict.body.message).to.equal('Apply failed with 1 conflict: conflict with "apply_test": .spec.replicas')
      const forced = await send('PATCH', `${path}/scale?fieldManager=apply_scale&force=true`, APPLY, scale(17))
      expect(forced.status).to.equal(200)
      expect(forced.body).to.include({ kind: 'Scale', apiVersion: 'autoscaling/v1' })
      expect(forced.body.spec).to.deep.equal({ replicas: 17 })
      expect(forced.body.metadata).to.not.have.property('managedFields')
      expect(await state()).to.deep.equal({ replicas: 17, owners: [`apply_scale Apply ${apiVersion} scale untimed`] })

      expect((await send('PUT', `${path}/scale?fieldManager=replace_test`, JSON_TYPE, scale(7))).status).to.equal(200)
      expect(await state()).to.deep.equal({ replicas: 7, owners: [`replace_test Update ${apiVersion} scale untimed`] })

      expect((await send('PATCH', `${path}/scale?fieldManager=co_owning_test`, APPLY, scale(7))).status).to.equal(200)
      expect(await state()).to.deep.equal({
        replicas: 7,
        owners: [`co_owning_test Apply ${apiVersion} scale untimed`, `replace_test Update ${apiVersion} scale untimed`],
      })

      expect((await send('PATCH', `${path}/scale?fieldManager=scale_test`, MERGE, { spec: { replicas: 5 } })).status).to.equal(200)
      expect(await state()).to.deep.equal({ replicas: 5, owners: [`scale_test Update ${apiVersion} scale untimed`] })

      expect((await send('PATCH', `${path}/scale?fieldManager=other`, MERGE, { status: { replicas: 42 } })).status).to.equal(200)
      expect(await state()).to.deep.equal({ replicas: 5, owners: [`scale_test Update ${apiVersion} scale untimed`] })
    })
  }

  const path = '/apis/apps/v1/namespaces/default/deployments'
  const scaled = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'test' }, spec: { replicas: 1 } }
  const refusals: [name: string, path: string, body: object, code: number, message: string][] = [
    [
      'a missing object',
      `${path}/none/scale?fieldManager=m`,
      { ...scaled, metadata: { name: 'none' } },
      404,
      'deployments.apps "none" not found',
    ],
    [
      'another kind',
      `${path}/test/scale?fieldManager=m`,
      { ...scaled, kind: 'Deployment' },
      400,
      'invalid object type: autoscaling/v1, Kind=Deployment',
    ],
    [
      'another name',
      `${path}/test/scale?fieldManager=m&force=true`,
      { ...scaled, metadata: { name: 'x' } },
      400,
      'the name of the object (x) does not match the name on the URL (test)',
    ],
    [
      'less than none',
      `${path}/test/scale?fieldManager=m&force=true`,
      { ...scaled, spec: { replicas: -1 } },
      422,
      'Scale.autoscaling "test" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'another uid',
      `${path}/test/scale?fieldManager=m&force=true`,
      { ...scaled, metadata: { name: 'test', uid: 'x' } },
      409,
      'Operation cannot be fulfilled on deployments/scale.apps "test": Precondition failed: UID in precondition: x, UID in object meta: UID',
    ],
  ]
  for (const [name, url, body, code, message] of refusals) {
    it(`refuse an apply with ${name}`, async () => {
      const answer = await send('PATCH', url, APPLY, body)
      expect(answer.body.message.replace(/UID in object meta: .*/, 'UID in object meta: UID')).to.equal(message)
      expect(answer.status).to.equal(code)
    })
  }

  it('do not change in a dry run', async () => {
    const before = await read(`${path}/test`)
    const answer = await send('PATCH', `${path}/test/scale?fieldManager=m&force=true&dryRun=All`, APPLY, scaled)
    expect(answer.body.spec).to.deep.equal({ replicas: 1 })
    expect(await read(`${path}/test`)).to.deep.equal(before)
  })
})
