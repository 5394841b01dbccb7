import { expect } from 'chai'
import { formatTime } from '../../../../../src/meta/time.ts'
import { evictionResource } from '../../../../../src/resources/lifecycle/eviction/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.37', { EvictionRequestAPI: true })
const pod = { name: 'p', uid: '01234567-89ab-cdef-0123-456789abcdef' }
const spec = { target: { pod } }
const condition = (type: string, status: string): object => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
})
const target = (name: string, state: string): object => ({ name, priority: 1000, state })

/** Creates an eviction, and returns a function that writes its status and returns the causes of the rejection. */
async function statusOf(): Promise<{ write: (status: object) => Promise<string[]>; now: (seconds?: number) => string }> {
  const cases = new KindCases(evictionResource, features)
  await cases.create({ spec })
  return {
    write: status => causesOf(cases.update({ spec, status }, {}, 'status')),
    now: (seconds = 0) => formatTime(cases.server.now + seconds * 1000),
  }
}

describe('Eviction', () => {
  validates(
    evictionResource,
    { 'a pod': [{ spec }, []], nothing: [{ spec: { target: {} } }, ['Invalid spec.target']] },
    { 'the pod': [{ spec }, { spec: { target: { pod: { ...pod, name: 'q' } } } }, ['Invalid spec.target']] },
    features,
  )

  it('activates responders one after the other', async () => {
    const { write, now } = await statusOf()
    const [a, b] = ['acme.io/a', 'acme.io/b'] as const
    const both = (first: string, second: string) => [target(a, first), target(b, second)]
    const started = { name: a, startTime: now() }
    expect(await write({ targetResponders: both('Inactive', 'Inactive'), responders: [{ name: a }, { name: b }] })).to.deep.equal([
      'Invalid status.targetResponders[0].state',
    ])
    expect(await write({ targetResponders: both('Active', 'Inactive'), responders: [started, { name: b }] })).to.deep.equal([])
    expect(await write({ targetResponders: both('Active', 'Active'), responders: [started, { name: b, startTime: now() }] })).to.deep.equal(
      ['Invalid status.targetResponders[1].state', 'Forbidden status.targetResponders[1].state'],
    )
    const done = { ...started, completionTime: now() }
    expect(await write({ targetResponders: both('Active', 'Inactive'), responders: [done, { name: b }] })).to.deep.equal([])
    expect(await write({ targetResponders: both('Completed', 'Active'), responders: [done, { name: b, startTime: now() }] })).to.deep.equal(
      [],
    )
    expect(await write({ targetResponders: [target(b, 'Active')], responders: [{ name: b, startTime: now() }] })).to.deep.equal([
      'Invalid status.targetResponders',
    ])
  })

  it('keeps a responder active while it reports', async () => {
    const { write, now } = await statusOf()
    const responders = [{ name: 'acme.io/a', startTime: now() }]
    await write({ targetResponders: [target('acme.io/a', 'Active')], responders })
    expect(await write({ targetResponders: [target('acme.io/a', 'Interrupted')], responders })).to.deep.equal([
      'Forbidden status.targetResponders[0].state',
    ])
  })

  it('checks the times of reports', async () => {
    const { write, now } = await statusOf()
    const targetResponders = [target('acme.io/a', 'Active')]
    const report = (times: object) => write({ targetResponders, responders: [{ name: 'acme.io/a', ...times }] })
    const at = 'status.responders[0]'
    expect(await report({})).to.deep.equal([`Required ${at}.startTime`])
    expect(await report({ startTime: now(-60) })).to.deep.equal([`Invalid ${at}.startTime`])
    expect(await report({ startTime: now(), heartbeatTime: now(60), completionTime: now(60) })).to.deep.equal([
      `Invalid ${at}.heartbeatTime`,
      `Invalid ${at}.completionTime`,
    ])
    expect(await report({ startTime: now(), expectedCompletionTime: now(-60) })).to.deep.equal([`Invalid ${at}.expectedCompletionTime`])
    expect(await report({ startTime: now(), heartbeatTime: now() })).to.deep.equal([])
    expect(await report({ startTime: now() })).to.deep.equal([`Required ${at}.heartbeatTime`])
  })

  it('has as many reports as responders', async () => {
    const { write } = await statusOf()
    expect(await write({ targetResponders: [target('acme.io/a', 'Active')] })).to.deep.equal([
      'Invalid status.targetResponders[0]',
      'Invalid status.responders',
    ])
  })

  it('keeps requesters and final conditions', async () => {
    const { write } = await statusOf()
    const requesters = [{ name: 'acme.io/a', intent: 'Eviction' }]
    expect(await write({ requesters, conditions: [condition('TargetEvicted', 'True')] })).to.deep.equal([])
    expect(await write({ requesters, conditions: [condition('TargetEvicted', 'False')] })).to.deep.equal(['Invalid status.conditions'])
    expect(await write({ conditions: [condition('TargetEvicted', 'True')] })).to.deep.equal(['Forbidden status.requesters'])
  })
})
