import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const BATCH = '/apis/batch/v1/namespaces/default'
const PODS = '/api/v1/namespaces/default/pods'
const TEMPLATE = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'app:1' }] } }
const START = '2026-03-01T10:00:30Z'

const job = (spec: JsonObject, name = 'j'): Manifest => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default' },
  spec: { template: TEMPLATE, ...spec },
})
const cronJob = (spec: JsonObject): Manifest => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'c', namespace: 'default' },
  spec: { schedule: '*/1 * * * *', jobTemplate: { spec: { template: TEMPLATE } }, ...spec },
})

describe('jobs of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({
      clock: new Date(START),
      flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] },
    })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const pods = async (): Promise<AnyObject[]> => (await get(PODS)).items
  const jobs = async (): Promise<string[]> => (await get(`${BATCH}/jobs`)).items.map(({ metadata }: AnyObject) => metadata.name)
  const end = async (phase: string, which: readonly AnyObject[]): Promise<void> => {
    for (const { metadata } of which) await plane.request('PATCH', `${PODS}/${metadata.name}/status`, { body: { status: { phase } } })
  }
  const conditions = async (name = 'j'): Promise<string[]> =>
    ((await get(`${BATCH}/jobs/${name}`)).status.conditions ?? []).map(({ type, reason }: AnyObject) => `${type} ${reason}`)
  const advance = async (seconds: number): Promise<void> => {
    await plane.settled()
    await plane.advance(seconds * 1000)
    await plane.settled()
  }

  it('run their pods, and complete when these have succeeded', async () => {
    await plane.apply(job({ completions: 3, parallelism: 2 }))
    await plane.until(async () => (await pods()).length === 2)
    const [pod] = await pods()
    expect(pod?.metadata.name).to.match(/^j-[a-z0-9]{5}$/)
    expect(pod?.metadata.finalizers).to.deep.equal(['batch.kubernetes.io/job-tracking'])
    await end('Succeeded', await pods())
    await plane.until(async () => (await pods()).length === 3)
    await end('Succeeded', await pods())
    await plane.until(async () => (await conditions()).length === 2)
    expect(await conditions()).to.deep.equal(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'])
    const { status } = await get(`${BATCH}/jobs/j`)
    expect(status).to.deep.include({
      succeeded: 3,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      startTime: START,
      completionTime: START,
    })
    expect((await pods()).map(({ metadata }) => metadata.finalizers)).to.deep.equal([undefined, undefined, undefined])
  })

  it('give their pods an index, and replace a failed one after the back-off', async () => {
    await plane.apply(job({ completions: 2, parallelism: 2, completionMode: 'Indexed' }))
    await plane.until(async () => (await pods()).length === 2)
    expect((await pods()).map(({ spec }) => spec.hostname)).to.have.members(['j-0', 'j-1'])
    await end(
      'Failed',
      (await pods()).filter(({ spec }) => spec.hostname === 'j-1'),
    )
    await plane.until(async () => (await get(`${BATCH}/jobs/j`)).status.failed === 1)
    await advance(9)
    expect(await pods()).to.have.length(2)
    await advance(2)
    await plane.until(async () => (await pods()).length === 3)
    expect((await pods()).filter(({ status }) => status.phase === 'Pending').map(({ spec }) => spec.hostname)).to.have.members([
      'j-0',
      'j-1',
    ])
  })

  it('fail beyond their back-off limit, with an event', async () => {
    await plane.apply(job({ backoffLimit: 0 }))
    await plane.until(async () => (await pods()).length === 1)
    await end('Failed', await pods())
    await plane.until(async () => (await conditions()).includes('Failed BackoffLimitExceeded'))
    await plane.until(async () =>
      (await get('/api/v1/namespaces/default/events')).items.some(({ reason }: AnyObject) => reason === 'BackoffLimitExceeded'),
    )
  })

  it('release their pods when they are deleted', async () => {
    await plane.apply(job({}))
    await plane.until(async () => (await pods()).length === 1)
    await plane.request('DELETE', `${BATCH}/jobs/j`, { body: { propagationPolicy: 'Background' } })
    await plane.until(async () => (await pods()).length === 0 && (await jobs()).length === 0)
  })

  it('are deleted some time after they have finished', async () => {
    await plane.apply(job({ ttlSecondsAfterFinished: 60 }))
    await plane.until(async () => (await pods()).length === 1)
    await end('Succeeded', await pods())
    await plane.until(async () => (await conditions()).length === 2)
    await advance(59)
    expect(await jobs()).to.deep.equal(['j'])
    await advance(2)
    await plane.until(async () => (await jobs()).length === 0)
  })

  it('are started at the times of a CronJob', async () => {
    await plane.apply(cronJob({ concurrencyPolicy: 'Forbid' }))
    await advance(31)
    await plane.until(async () => (await jobs()).length === 1)
    expect(await jobs()).to.deep.equal(['c-29539321'])
    const created = await get(`${BATCH}/jobs/c-29539321`)
    expect(created.metadata.annotations).to.include({ 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-03-01T10:01:00Z' })
    expect((await get(`${BATCH}/cronjobs/c`)).status).to.deep.include({ lastScheduleTime: '2026-03-01T10:01:00Z' })
    await advance(60)
    expect(await jobs()).to.have.length(1)
    await end('Succeeded', await pods())
    await plane.until(async () => (await jobs()).length === 2)
    expect(await jobs()).to.include('c-29539322')
  })
})
