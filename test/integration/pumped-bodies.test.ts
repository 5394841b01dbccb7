/**
 * Texts that expressions repeat themselves over, in every field of every kind: a request takes time in proportion to
 * its length.
 */

import { expect } from 'chai'
import { mediaOffer } from '../../src/codec/accept-header.ts'
import { createControlPlane } from '../../src/control-plane/control-plane.ts'
import { statusEncoder } from '../../src/endpoints/status-encoder.ts'
import { StatusError } from '../../src/meta/status.ts'
import { Warnings } from '../../src/server/http/warnings.ts'
import { apiHandler } from '../support/api-handler.ts'
import { controlPlaneOptions } from '../support/control-plane-options.ts'
import { FakeExchange } from '../support/exchange.ts'
import { type Cost, growthText, superLinear } from '../support/growth.ts'
import { LARGE_CUSTOM, LARGE_DEFINITION, type LargeRequest, largeKinds } from '../support/large-requests.ts'
import { MemoryBackend } from '../support/memory-backend.ts'
import { pumpedCaseName, pumpedCases, pumpedRequest, shuffled, sizesOf } from '../support/pumped-requests.ts'
import { turnCost } from '../support/turn-cost.ts'
import { eventually, patience } from '../support/waiting.ts'

/** Cases of the sample, and its longest texts. */
const SAMPLE = 250
const SAMPLE_LENGTH = 4000
/** `make fuzz`: all cases at all lengths, in one of several shares, and those whose names match. */
const ALL = Number(process.env.PUMPED_TEXTS ?? 0)
const SEED = Number(process.env.MUTATION_SEED ?? 1)
const MATCH = new RegExp(process.env.LARGE_BODY_MATCH ?? '')
const [PART = 0, PARTS = 1] = (process.env.LARGE_BODY_SHARE ?? '0/1').split('/').map(Number)

const encodeStatus = statusEncoder(mediaOffer())

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }

describe('a body with a repeated text', function () {
  if (ALL > 0) this.timeout(0)

  const serving = createControlPlane(controlPlaneOptions(new MemoryBackend(), { requests: { media: mediaOffer({ cbor: true }) } }))
  const kinds = [...largeKinds(), LARGE_CUSTOM]

  async function ask({ method, path, search, type, body }: LargeRequest): Promise<number> {
    const exchange = new FakeExchange(path, { method, search, headers: { 'content-type': type }, body })
    const warnings = new Warnings()
    exchange.ctx.warn = warning => warnings.add(warning)
    try {
      await apiHandler(serving.api)(exchange)
      return exchange.status
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      // In turns, as the server does.
      await encodeStatus(error.status, undefined)
      return error.code
    }
  }
  const put = (path: string, object: object): Promise<number> =>
    ask({ method: 'POST', path, search: '', type: 'application/json', body: Buffer.from(JSON.stringify(object)) })

  before(async () => {
    await serving.synced(patience())
    serving.start({ address: '192.0.2.1', port: 6443, serviceIP: '10.0.0.1', certificateAuthority: 'PEM' })
    await put('/api/v1/namespaces', NAMESPACE)
    await put('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', LARGE_DEFINITION)
    const established = {
      status: {
        acceptedNames: LARGE_DEFINITION.spec.names,
        conditions: [{ type: 'Established', status: 'True', lastTransitionTime: null, reason: 'r', message: 'm' }],
        storedVersions: ['v1'],
      },
    }
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${LARGE_DEFINITION.metadata.name}/status`
    await ask({ method: 'PATCH', path, search: '', type: 'application/merge-patch+json', body: Buffer.from(JSON.stringify(established)) })
    await eventually(
      'the custom kind is served',
      async () => (await ask({ method: 'GET', path: LARGE_CUSTOM.path, search: '', type: '', body: Buffer.alloc(0) })) === 200,
    )
    for (const { path, base } of kinds) await put(path, base)
  })
  after(() => serving.close())

  it('takes time in proportion to its length, in every field of every kind', async () => {
    const all = shuffled([...pumpedCases(kinds, { seed: SEED, times: Math.max(1, ALL) })], SEED)
    const cases = ALL > 0 ? all : all.slice(0, SAMPLE)
    const longest: { readonly turn: number; readonly name: string }[] = []
    const wrong: string[] = []
    let tried = 0
    for (const [i, one] of cases.entries()) {
      const name = pumpedCaseName(one)
      if (i % PARTS !== PART || !MATCH.test(name)) continue
      const measure = async (size: number): Promise<Cost> => {
        const request = pumpedRequest(one, size)
        return request === undefined ? { total: 0, turn: 0 } : turnCost(() => ask(request))
      }
      const sizes = ALL > 0 ? sizesOf(one) : sizesOf(one).filter(size => size <= SAMPLE_LENGTH)
      let turn = 0
      const growth = await superLinear(sizes, async size => {
        const cost = await measure(size)
        turn = Math.max(turn, cost.turn)
        return cost
      })
      if (growth) wrong.push(`${name}: ${growthText(growth)}`)
      if (growth && ALL > 0) console.log(wrong.at(-1))
      longest.push({ turn, name })
      if (++tried % 5000 === 0) console.log(`${tried} texts`)
    }
    if (ALL > 0)
      for (const { turn, name } of longest.sort((a, b) => b.turn - a.turn).slice(0, 30))
        console.log(`a turn of ${Math.round(turn)} ms: ${name}`)
    expect(wrong.join('\n')).to.equal('')
  })
})
