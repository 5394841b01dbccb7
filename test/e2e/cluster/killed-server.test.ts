import { expect } from 'chai'
import type { AnyObject } from '../../support/any-object.ts'
import { createServerProcess, type ServerProcess } from '../../support/server-process.ts'
import { eventually } from '../../support/waiting.ts'

const KILLS = 2
const APPS = '/apis/apps/v1/namespaces/default'
const PODS = '/api/v1/namespaces/default/pods'
/** Interval of looks at the cluster. */
const LOOK_MS = 50

const template = (app: string, image: string, more: object = {}) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'c', image }], ...more },
})

describe('a cluster whose server is killed during rollouts', () => {
  let server: ServerProcess
  before(async () => {
    server = await createServerProcess(['--profile=cluster', '--nodes=2'])
    await server.start()
  })
  after(() => server.stop())

  async function request(method: string, path: string, body?: object): Promise<AnyObject> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await fetch(server.url + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': type } }),
    })
    const read = (await response.json()) as AnyObject
    expect(response.status, JSON.stringify(read)).to.be.below(300)
    return read
  }
  const items = async (path: string): Promise<AnyObject[]> => (await request('GET', path)).items
  const podsOf = async (app: string): Promise<AnyObject[]> => items(`${PODS}?labelSelector=app%3D${app}`)
  const roll = async (image: string): Promise<void> => {
    await request('PATCH', `${APPS}/deployments/web`, { spec: { template: template('web', image) } })
    await request('PATCH', `${APPS}/statefulsets/db`, { spec: { template: template('db', image) } })
    const isRolling = async (): Promise<boolean> => (await podsOf('web')).some(({ spec }) => spec.containers[0].image === image)
    await eventually('the rollout has begun', isRolling, LOOK_MS)
  }
  const isRolledOut = ({ metadata, spec, status }: AnyObject): boolean =>
    Number(status.observedGeneration) === Number(metadata.generation) &&
    [status.replicas, status.updatedReplicas, status.readyReplicas].every(count => count === spec.replicas)

  it('comes to the same rest as without the kills: all rolled out, no pod too many, and no orphan', async () => {
    const set = (app: string, replicas: number) => ({ replicas, selector: { matchLabels: { app } }, template: template(app, 'app:0') })
    await request('POST', `${APPS}/deployments`, { metadata: { name: 'web' }, spec: set('web', 6) })
    await request('POST', `${APPS}/statefulsets`, { metadata: { name: 'db' }, spec: { ...set('db', 3), serviceName: 'db' } })
    const job = { completions: 6, parallelism: 2, template: template('work', 'app:0', { restartPolicy: 'Never' }) }
    await request('POST', '/apis/batch/v1/namespaces/default/jobs', { metadata: { name: 'work' }, spec: job })
    for (let kill = 1; kill <= KILLS; kill++) {
      await roll(`app:${kill}`)
      await server.kill()
      await server.start()
    }
    const atRest = async (): Promise<boolean> =>
      isRolledOut(await request('GET', `${APPS}/deployments/web`)) &&
      isRolledOut(await request('GET', `${APPS}/statefulsets/db`)) &&
      ((await request('GET', '/apis/batch/v1/namespaces/default/jobs/work')).status.succeeded ?? 0) === job.completions
    await eventually('everything is rolled out', atRest, LOOK_MS)
    await eventually('old pods are gone', async () => (await podsOf('web')).length === 6 && (await podsOf('db')).length === 3, LOOK_MS)

    const image = `app:${KILLS}`
    for (const app of ['web', 'db']) for (const { spec } of await podsOf(app)) expect(spec.containers[0].image, app).to.equal(image)
    expect((await podsOf('db')).map(({ metadata }) => metadata.name).sort()).to.deep.equal(['db-0', 'db-1', 'db-2'])
    const sets = await items(`${APPS}/replicasets`)
    expect(sets.filter(({ spec }) => spec.replicas > 0).map(({ status }) => status.replicas)).to.deep.equal([6])
    const owners = new Set(
      [...sets, ...(await items(`${APPS}/statefulsets`)), ...(await items('/apis/batch/v1/namespaces/default/jobs'))].map(uidOf),
    )
    for (const pod of await items(PODS))
      expect(owners, `owner of ${pod.metadata.name}`).to.include(pod.metadata.ownerReferences?.[0]?.uid ?? '')
    const work = await podsOf('work')
    expect(work.map(({ status }) => status.phase)).to.deep.equal(Array.from({ length: job.completions }, () => 'Succeeded'))
  })
})

const uidOf = ({ metadata }: AnyObject): string => metadata.uid ?? ''
