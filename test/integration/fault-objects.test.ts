import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'

const FAULTS = '/apis/binnacle.dev/v1alpha1/faults'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

const busy = (spec: object): Manifest => ({ apiVersion: 'binnacle.dev/v1alpha1', kind: 'Fault', metadata: { name: 'busy' }, spec })

describe('faults as objects', () => {
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane({ flags: { 'enable-faults': true } })
    await plane.until(async () => (await plane.request('GET', FAULTS)).status === 200)
  })
  beforeEach(() => plane.reset())
  after(() => plane.stop())

  const asked = async (times: number): Promise<number[]> => {
    const codes: number[] = []
    for (let i = 0; i < times; i++) codes.push((await plane.request('GET', CONFIG_MAPS)).status)
    return codes
  }
  const seen = async (): Promise<AnyObject> => ((await plane.request('GET', `${FAULTS}/busy`)).body as AnyObject).status ?? {}
  const active = async (generation: number): Promise<void> =>
    plane.until(async () => {
      const status = await seen()
      return status.state === 'Active' && status.observedGeneration === generation
    })

  it('are served to kubectl, and count their hits', async () => {
    await plane.apply(busy({ match: { resources: ['configmaps'] }, rate: { count: 2 }, status: { code: 503, retryAfterSeconds: 1 } }))
    await active(1)
    expect(await asked(3)).to.deep.equal([503, 503, 200])
    await plane.until(async () => (await seen()).hits === 2)
    const table = await plane.request('GET', FAULTS, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
    const { columnDefinitions, rows } = table.body as AnyObject
    expect(columnDefinitions.map(({ name }: AnyObject) => name)).to.deep.equal(['Name', 'State', 'Matched', 'Hits', 'Age'])
    expect(rows[0].cells.slice(0, 4)).to.deep.equal(['busy', 'Active', 3, 2])
  })

  it('follow their latest spec, and end when they are deleted', async () => {
    await plane.apply(busy({ match: { resources: ['configmaps'] }, status: { code: 503 } }))
    await active(1)
    expect(await asked(1)).to.deep.equal([503])
    await plane.apply(busy({ match: { resources: ['configmaps'] }, status: { code: 429 } }))
    await active(2)
    expect(await asked(1)).to.deep.equal([429])
    await plane.request('DELETE', `${FAULTS}/busy`)
    await plane.until(async () => (await asked(1))[0] === 200)
  })

  it('never prevent their own deletion', async () => {
    await plane.apply(busy({ status: { code: 503 } }))
    await active(1)
    expect(await asked(1)).to.deep.equal([503])
    expect((await plane.request('DELETE', `${FAULTS}/busy`)).status).to.equal(200)
    await plane.until(async () => (await asked(1))[0] === 200)
  })

  it('report what is wrong with their spec', async () => {
    await plane.apply(busy({ status: { code: 404 } }))
    await plane.until(async () => (await seen()).state === 'Invalid')
    expect((await seen()).message).to.equal("status.code: 404 is beyond the API's contract: set beyondContract to allow it")
    const refused = await plane.request('POST', FAULTS, { body: busy({ cut: 'Sometimes' }) })
    expect([refused.status, (refused.body as AnyObject).message]).to.deep.equal([
      422,
      'Fault.binnacle.dev "busy" is invalid: spec.cut: Unsupported value: "Sometimes": supported values: "BeforeCommit", "AfterCommit"',
    ])
  })

  it('are not served without the flag', async () => {
    const other = await startControlPlane()
    try {
      expect((await other.request('GET', FAULTS)).status).to.equal(404)
    } finally {
      await other.stop()
    }
  })
})
