import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { controllerRevisionResource } from '../../../../../src/resources/apps/controller-revision/definition.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const revision = (members: object = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'r' },
    data: { spec: { x: 1 } },
    revision: 1,
    ...members,
  }) as KubeObject

describe('ControllerRevision', () => {
  for (const data of ['text', 7, true, ['a']])
    it(`refuses data that is ${JSON.stringify(data)}`, async () => {
      const { server, gr } = serverOf(controllerRevisionResource)
      expect(await causesOf(server.create(gr, 'default', revision({ data })))).to.deep.equal([
        'data: Required value: data must be a valid JSON object',
      ])
    })

  it('requires data and a non-negative revision', async () => {
    const { server, gr } = serverOf(controllerRevisionResource)
    expect(await causesOf(server.create(gr, 'default', revision({ data: undefined, revision: -1 })))).to.deep.equal([
      'revision: Invalid value: -1: must be greater than or equal to 0',
      'data: Required value: data is mandatory',
    ])
    expect(await causesOf(server.create(gr, 'default', revision({ revision: 0 })))).to.deep.equal([])
  })

  it('does not allow changing its data, only its revision', async () => {
    const { server, gr } = serverOf(controllerRevisionResource)
    await server.create(gr, 'default', revision())
    expect(await causesOf(server.update(gr, 'default', 'r', o => ({ ...o, revision: 7 })))).to.deep.equal([])
    const [cause, ...more] = await causesOf(server.update(gr, 'default', 'r', o => ({ ...o, data: { spec: { x: 2 } } })))
    expect(cause).to.match(/^data: Invalid value: .*: field is immutable$/)
    expect(more).to.deep.equal([])
  })

  it('prints its controller', async () => {
    const { server, gr } = serverOf(controllerRevisionResource)
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true }
    await server.create(gr, 'default', revision({ metadata: { name: 'owned', ownerReferences: [owner] } }))
    await server.create(gr, 'default', revision({ metadata: { name: 'alone' } }))
    expect(server.cells(gr, 'default', 'owned')).to.deep.equal(['owned', 'statefulset.apps/db', 1, '0s'])
    expect(server.cells(gr, 'default', 'alone')).to.deep.equal(['alone', '<none>', 1, '0s'])
  })
})
