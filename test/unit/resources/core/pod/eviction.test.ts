import { expect } from 'chai'
import type { PodDisruptionBudget } from '../../../../../src/api/policy/v1.types.ts'
import type { VirtualCall } from '../../../../../src/catalog/definition.ts'
import { StatusError } from '../../../../../src/meta/status.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { takeDisruption } from '../../../../../src/resources/core/pod/disruption.ts'
import { podDisruptionBudgetResource } from '../../../../../src/resources/policy/pod-disruption-budget/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { createdPod } from '../../../../support/pod.ts'
import { TestRegistry } from '../../../../support/test-registry.ts'

const PODS = { group: '', resource: 'pods' }
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudgets' }

interface World {
  /** Status of the pod. */
  status?: object
  budget?: object
  second?: object
  dryRun?: boolean
  options?: object
  nodeName?: string
  /** Name in the eviction. */
  name?: string
}

const NEEDED = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 }
const SPARE = { ...NEEDED, disruptionsAllowed: 1, currentHealthy: 3 }
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
const UNREADY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }

async function evict({ status = READY, budget, second, dryRun = false, options, nodeName, name = 'p' }: World) {
  const t = new TestRegistry([podResource, podDisruptionBudgetResource])
  const api = t.access()
  const { spec } = createdPod(nodeName === undefined ? {} : { nodeName })
  const object = (kind: object, more: object) => ({ ...kind, ...more }) as unknown as AnyObject
  await api.create(
    PODS,
    'ns',
    object({ kind: 'Pod', apiVersion: 'v1' }, { metadata: { name: 'p', namespace: 'ns', labels: { app: 'a' } }, spec }),
  )
  await api.update(PODS, 'ns', 'p', pod => Object.assign(pod, { status }), { subresource: 'status' })
  for (const [i, made] of [budget, second].entries()) {
    if (!made) continue
    const { spec: more, ...rest } = made as { spec?: object }
    const spec = { selector: { matchLabels: { app: 'a' } }, ...more }
    const metadata = { name: `b${i}`, namespace: 'ns' }
    await api.create(BUDGETS, 'ns', object({ kind: 'PodDisruptionBudget', apiVersion: 'policy/v1' }, { metadata, spec }))
    await api.update(BUDGETS, 'ns', `b${i}`, found => Object.assign(found, { status: rest }), { subresource: 'status' })
  }
  const body = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name }, ...(options && { deleteOptions: options }) }
  const call = { api, body, dryRun, name: 'p', namespace: 'ns', verb: 'create', ctx: { receivedAt: t.now } } as unknown as VirtualCall
  const answer = await podResource.hub.subresources?.eviction?.virtual?.call(call).catch((error: unknown) => {
    if (error instanceof StatusError) return { code: error.code, status: error.status }
    throw error
  })
  const pod = await api.get(PODS, 'ns', 'p').catch(() => undefined)
  const left = budget && (await api.get(BUDGETS, 'ns', 'b0')).status
  if (answer === undefined || !('status' in answer)) throw new Error('the answer is no Status')
  return { code: answer.code, status: answer.status as StatusError['status'], gone: pod === undefined, pod, left }
}

describe('resources/core/pod eviction', () => {
  it('deletes a pod without budgets', async () => {
    const { code, status, gone } = await evict({})
    expect({ code, gone }).to.deep.equal({ code: 201, gone: true })
    expect(status).to.deep.equal({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
  })

  it('decrements the allowed disruptions, and sets a condition when none is left', async () => {
    const { code, gone, left } = await evict({ budget: SPARE })
    expect({ code, gone }).to.deep.equal({ code: 201, gone: true })
    expect(left.disruptionsAllowed).to.equal(0)
    expect(left.disruptedPods).to.have.all.keys('p')
    expect(left.conditions).to.have.length(1)
    expect(left.conditions[0]).to.include({ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' })
  })

  it('sets no condition while some are left', async () => {
    const { left } = await evict({ budget: { ...SPARE, disruptionsAllowed: 2 } })
    expect(left.disruptionsAllowed).to.equal(1)
    expect(left.conditions).to.equal(undefined)
  })

  const refusals: [name: string, world: World, code: number, cause: string | undefined, retryAfter: number | undefined][] = [
    [
      'a budget without disruptions',
      { budget: NEEDED },
      429,
      'The disruption budget b0 needs 2 healthy pods and has 2 currently',
      undefined,
    ],
    [
      'a budget that is not healthy, though the pod is not either',
      { status: UNREADY, budget: { ...NEEDED, currentHealthy: 1 } },
      429,
      'The disruption budget b0 needs 2 healthy pods and has 1 currently',
      undefined,
    ],
    [
      'a budget whose controller failed',
      {
        budget: {
          ...NEEDED,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              reason: 'SyncFailed',
              message: 'no scale',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      },
      429,
      'The disruption budget b0 does not allow evicting pods currently because it failed sync: no scale',
      undefined,
    ],
    [
      'a budget with very many disrupted pods',
      {
        budget: { ...SPARE, disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2026-01-01T00:00:00Z'])) },
      },
      403,
      undefined,
      undefined,
    ],
    ['two budgets', { budget: SPARE, second: SPARE }, 500, undefined, undefined],
    ['another name', { name: 'q' }, 400, undefined, undefined],
    ['a pod of another uid', { options: { preconditions: { uid: 'other' } } }, 409, undefined, undefined],
    ['a pod of another revision', { options: { preconditions: { resourceVersion: '1' } } }, 409, undefined, undefined],
    [
      'a pod of another revision that needs no budget',
      { status: { phase: 'Failed' }, options: { preconditions: { resourceVersion: '1' } } },
      409,
      undefined,
      undefined,
    ],
  ]
  for (const [name, world, code, cause, retryAfter] of refusals) {
    it(`refuses ${name}`, async () => {
      const answer = await evict(world)
      expect(answer.code).to.equal(code)
      expect(answer.gone).to.equal(false)
      expect(answer.status.details?.causes?.[0]).to.deep.equal(cause && { reason: 'DisruptionBudget', message: cause })
      expect(answer.status.details?.retryAfterSeconds).to.equal(retryAfter)
      if (code === 429) expect(answer.status.message).to.equal("Cannot evict pod as it would violate the pod's disruption budget.")
    })
  }

  it('responds with 429 until the controller has observed the budget', async () => {
    const t = await evict({ budget: { ...SPARE, observedGeneration: 0 } })
    expect(t.code).to.equal(429)
    expect(t.status.details).to.deep.equal({
      causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b0 is still being processed by the server.' }],
      retryAfterSeconds: 10,
    })
  })

  const spared: [name: string, world: World][] = [
    ['a pod that has succeeded', { status: { phase: 'Succeeded' }, budget: NEEDED }],
    ['a pod that has failed', { status: { phase: 'Failed' }, budget: NEEDED }],
    ['a pod that is pending', { status: { phase: 'Pending' }, budget: NEEDED }],
    ['a pod that is not ready, of a healthy budget', { status: UNREADY, budget: NEEDED }],
    [
      'a pod that is not ready, with a budget that always allows its eviction',
      { status: UNREADY, budget: { ...NEEDED, currentHealthy: 0, spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } } },
    ],
    ['a pod that another budget picks', { budget: { ...NEEDED, spec: { selector: { matchLabels: { app: 'b' } } } } }],
    ['a pod of a budget without a selector', { budget: { ...NEEDED, spec: { selector: null } } }],
  ]
  for (const [name, world] of spared) {
    it(`evicts ${name} without checking budgets`, async () => {
      const { code, gone, left } = await evict(world)
      expect({ code, gone }).to.deep.equal({ code: 201, gone: true })
      expect(left.disruptedPods).to.equal(undefined)
    })
  }

  it('treats an empty selector as matching every pod', async () =>
    expect((await evict({ budget: { ...NEEDED, spec: { selector: {} } } })).code).to.equal(429))

  for (const [name, world] of [
    ['in the request', { dryRun: true }],
    ['in the body', { options: { dryRun: ['All'] } }],
  ] as const) {
    it(`changes nothing in a dry run ${name}, but checks the budget`, async () => {
      const { code, gone, pod, left } = await evict({ ...world, budget: SPARE })
      expect({ code, gone }).to.deep.equal({ code: 201, gone: false })
      expect(left.disruptionsAllowed).to.equal(1)
      expect(pod?.status.conditions).to.have.length(1)
      expect((await evict({ ...world, budget: NEEDED })).code).to.equal(429)
    })
  }

  it('sets a condition on a pod that terminates gracefully', async () => {
    const { gone, pod } = await evict({ nodeName: 'n', options: { gracePeriodSeconds: 30 } })
    expect(gone).to.equal(false)
    expect(pod?.metadata.deletionGracePeriodSeconds).to.equal(30)
    expect(pod?.status.conditions.at(-1)).to.include({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    })
  })

  it('rejects a budget with an invalid status', () => {
    const budget: PodDisruptionBudget = {
      kind: 'PodDisruptionBudget',
      apiVersion: 'policy/v1',
      metadata: { name: 'b' },
      spec: {},
      status: { disruptionsAllowed: -1, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    }
    expect(() => takeDisruption(budget, 'p', 0)).to.throw(
      StatusError,
      'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
    )
    const refused = (status: Partial<PodDisruptionBudget['status']>): StatusError => {
      try {
        takeDisruption({ ...budget, status: { ...budget.status, ...status } }, 'p', 0)
      } catch (error) {
        if (error instanceof StatusError) return error
      }
      throw new Error('not refused')
    }
    const causes = (error: StatusError) => [
      error.worded('1.35').status.details?.causes,
      error.worded('1.37').status.details?.causes?.[0]?.message,
    ]
    const because = 'The disruption budget b does not allow evicting pods currently:'
    expect(causes(refused({}))).to.deep.equal([undefined, `${because} pdb disruptions allowed is negative`])
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2026-01-01T00:00:00Z']))
    expect(causes(refused({ disruptionsAllowed: 1, disruptedPods }))).to.deep.equal([
      undefined,
      `${because} too many pending evictions not confirmed by PDB controller`,
    ])
  })
})
