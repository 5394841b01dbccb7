import { expect } from 'chai'
import type { ClientIdentity } from '../../../src/control-plane/in-process-client.ts'
import { CLUSTER_PART_NAMES, type ClusterPartName } from '../../../src/controllers/names.ts'
import { WorkQueues } from '../../../src/controllers/work-queues.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { systemRandomness } from '../../../src/lib/randomness.ts'
import { runCluster } from '../../../src/process/run-cluster.ts'
import { CONTROLLER_ROLES } from '../../../src/resources/rbac/policy/controller-roles.ts'
import { STORAGE_CONTROLLER_ROLES } from '../../../src/resources/rbac/policy/storage-controller-roles.ts'
import { FakeApiClient } from '../../support/fake-api-client.ts'
import { featuresOf } from '../../support/hook-context.ts'
import { SteppedClock } from '../../support/stepped-clock.ts'
import { turns } from '../../support/waiting.ts'

/** Runs parts over an empty cluster for some turns. Returns the users whose clients they got. */
async function usersOf(names: readonly ClusterPartName[]): Promise<ReadonlySet<string>> {
  const users = new Set<string>()
  const ended = new AbortController()
  const clock = new SteppedClock(Date.parse('2030-01-01T00:00:00Z'))
  const client = new FakeApiClient()
  const clientOf = ({ user }: ClientIdentity): FakeApiClient => {
    users.add(user.name)
    return client
  }
  const authority = async () => ({ cert: '', key: '' })
  const settings = {
    nodes: [],
    nodeCidrs: undefined,
    loadBalancerRanges: [],
    authority,
    servingCa: async () => '',
    scheduler: undefined,
    schedulerMetrics: undefined,
  }
  const loop = {
    clientOf,
    clock,
    logger: silentLogger,
    meters: new WorkQueues(clock),
    gates: featuresOf(),
    random: systemRandomness,
    synced: () => {},
  }
  const running = runCluster({ names, ...settings }, loop, ended.signal)
  await turns()
  ended.abort()
  await running
  return users
}

/** User of the informers that all parts share. */
const INFORMERS = 'system:kube-controller-manager'
/** Parts that are no controllers of kube-controller-manager, or whose roles are in namespaces. */
const WITHOUT_CLUSTER_ROLE: readonly ClusterPartName[] = [
  'scheduler',
  'kubelet',
  'volume-driver',
  'bootstrap-signer-controller',
  'token-cleaner-controller',
]

describe('parts of a cluster that are left out', () => {
  const own = new Map<ClusterPartName, string>()

  for (const name of CLUSTER_PART_NAMES)
    it(`act under one account: ${name}`, async () => {
      const [user, ...more] = [...(await usersOf([name]))].filter(each => each !== INFORMERS)
      expect(user).to.match(/^system:(serviceaccount:kube-system:|kube-scheduler$)/)
      expect(more).to.deep.equal([])
      own.set(name, user ?? '')
    })

  for (const name of CLUSTER_PART_NAMES.filter(each => !WITHOUT_CLUSTER_ROLE.includes(each)))
    it(`have the account to which a cluster role is bound: ${name}`, () => {
      const account = own.get(name)?.replace('system:serviceaccount:kube-system:', '')
      expect(`${CONTROLLER_ROLES}\n${STORAGE_CONTROLLER_ROLES}`).to.match(new RegExp(`^${account}( |$)`, 'm'))
    })

  for (const name of CLUSTER_PART_NAMES)
    it(`leave their work to another program: ${name}`, async () => {
      const without = CLUSTER_PART_NAMES.filter(other => own.get(other) !== own.get(name))
      const users = await usersOf(without)
      expect(users).to.not.include(own.get(name))
      expect(users.size).to.equal(new Set(without.map(other => own.get(other))).size + 1)
    })
})
