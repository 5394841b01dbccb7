import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { configMapResource } from '../../../../../src/resources/core/config-map/definition.ts'
import { eventResourceWithTtl } from '../../../../../src/resources/core/event/definition.ts'
import { eventLimits, eventRateLimit } from '../../../../../src/resources/core/event/rate-limit-admission.ts'
import { admissionRequest, refusal } from '../../../../support/admission-request.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'

const eventResource = eventResourceWithTtl(3600)
async function heapUsed(): Promise<number> {
  await collectGarbage()
  return process.memoryUsage().heapUsed
}
const config = (limits: string) =>
  eventLimits(
    new Map([
      ['EventRateLimit', Buffer.from(`apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\nlimits: ${limits}`)],
    ]),
  )

/** Returns a function that sends the plugin an event at the given second and returns its error. */
function limited(limits: string) {
  let now = 0
  const plugin = eventRateLimit(config(limits), { now: () => now })
  return async (second: number, { namespace = 'ns', user = 'u', name = 'o' } = {}) => {
    now = second * 1000
    const event = { metadata: {}, source: { component: 'kubelet', host: 'h' }, involvedObject: { kind: 'Pod', namespace, name } }
    const error = await plugin
      .validate?.(admissionRequest(eventResource, event, { namespace, ctx: { user: { name: user } } }))
      ?.catch(caught => caught)
    return error && `${error.status.code} ${error.status.reason} ${error.message}`
  }
}

describe('EventRateLimit', () => {
  it('refuses requests beyond the burst and then admits QPS requests a second', async () => {
    const ask = limited('[{type: Server, qps: 1, burst: 2}]')
    const refused = '429 TooManyRequests Too many requests: limit reached on type Server for key '
    expect([await ask(0), await ask(0), await ask(0), await ask(1), await ask(1)]).to.deep.equal([
      undefined,
      undefined,
      refused,
      undefined,
      refused,
    ])
  })

  it('counts by namespace, by user and by source and object', async () => {
    const ask = limited('[{type: Namespace, qps: 1, burst: 1}, {type: User, qps: 1, burst: 3}, {type: SourceAndObject, qps: 1, burst: 1}]')
    expect(await ask(0)).to.equal(undefined)
    expect(await ask(0)).to.equal(
      '429 TooManyRequests Too many requests: [limit reached on type Namespace for key ns, limit reached on type SourceAndObject for key kubelethPodnso]',
    )
    expect(await ask(0, { namespace: 'other' })).to.equal(undefined)
    expect(await ask(0, { namespace: 'third' })).to.equal('429 TooManyRequests Too many requests: limit reached on type User for key u')
    expect(await ask(0, { namespace: 'fourth', user: 'v' })).to.equal(undefined)
  })

  it('distinguishes events with long texts without storing the texts', async () => {
    const ask = limited('[{type: SourceAndObject, qps: 1, burst: 1}]')
    const long = 'x'.repeat(100_000)
    const refused = (name: string) =>
      `429 TooManyRequests Too many requests: limit reached on type SourceAndObject for key kubelethPodns${name}`
    expect([await ask(0, { name: `${long}a` }), await ask(0, { name: `${long}b` })]).to.deep.equal([undefined, undefined])
    expect(await ask(0, { name: `${long}a` })).to.equal(refused(`${long}a`))
    const plugin = eventRateLimit(config('[{type: SourceAndObject, qps: 1, burst: 1}]'), { now: () => 0 })
    const before = await heapUsed()
    for (let i = 0; i < 200; i++) {
      const event = { metadata: {}, source: {}, involvedObject: { name: `${i}${long}` } }
      await plugin.validate?.(admissionRequest(eventResource, event, { ctx: { user: { name: 'u' } } }))
    }
    expect(((await heapUsed()) - before) / 1e6, 'MB').to.be.below(10)
  })

  it('evicts the least recently used key', async () => {
    const ask = limited('[{type: User, qps: 1, burst: 1, cacheSize: 2}]')
    for (const user of ['a', 'b', 'c']) expect(await ask(0, { user })).to.equal(undefined)
    expect([await ask(0, { user: 'c' }), await ask(0, { user: 'a' })]).to.deep.equal([
      '429 TooManyRequests Too many requests: limit reached on type User for key c',
      undefined,
    ])
  })

  it('handles only writes of core events', () => {
    const plugin = eventRateLimit([], { now: () => 0 })
    const handles = (parts: object) => plugin.handles(admissionRequest(eventResource, {}, parts))
    expect([handles({}), handles({ operation: 'UPDATE' }), handles({ operation: 'DELETE' }), handles({ dryRun: true })]).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
  })

  it('requires at least one limit and validates each', () => {
    const init = `couldn't init admission plugin "EventRateLimit": `
    expect(() => eventLimits(new Map())).to.throw(`${init}limits: Invalid value: []eventratelimit.Limit(nil): must not be empty`)
    expect(() => config('[{type: Pod, qps: 0, burst: 1}]')).to.throw(
      `${init}[limits[0].type: Unsupported value: "Pod": supported values: "Namespace", "Server", "SourceAndObject", "User", limits[0].qps: Invalid value: 0: must be positive]`,
    )
    expect(() => config('[{type: User, qps: 1, burst: 1, cacheSize: -1}]')).to.throw(
      `${init}limits[0].cacheSize: Invalid value: -1: must not be negative`,
    )
  })
})

describe('upstream test cases of EventRateLimit', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../../fixtures/admission/event-rates-1.33.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  for (const line of lines) {
    const { name: title, limits = [], steps } = JSON.parse(line)
    it(title, async () => {
      let now = 0
      const plugin = eventRateLimit(limits.length === 0 ? [] : config(JSON.stringify(limits)), { now: () => now })
      for (const { kind, delay = 0, namespace = '', user: name = '', dryRun = false, event = {}, error } of steps) {
        now += delay * 1000
        const definition = kind === 'Event' ? eventResource : configMapResource
        const request = admissionRequest(
          definition,
          { source: {}, involvedObject: {}, ...event },
          { namespace, dryRun, ctx: { user: { name } } },
        )
        const refused = plugin.handles(request) ? await refusal(plugin.validate?.(request)) : undefined
        expect(refused).to.equal(error)
      }
    })
  }
})
