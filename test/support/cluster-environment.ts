import type { ClusterEnvironment } from '../../src/cluster/shared/environment.ts'
import { Informers } from '../../src/cluster/shared/informers.ts'
import { WorkQueues } from '../../src/controllers/work-queues.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { Features } from '../../src/lifecycle/gates.ts'
import type { FakeApiClient } from './fake-api-client.ts'
import { featuresOf } from './hook-context.ts'
import type { SteppedClock } from './stepped-clock.ts'

/** Environment of a part of a cluster over objects in memory. It has no nodes and no authority. */
export function clusterEnvironment(
  client: FakeApiClient,
  clock: SteppedClock,
  signal: AbortSignal,
  features: Features = featuresOf(),
): ClusterEnvironment {
  const parts: Partial<ClusterEnvironment> = {
    client,
    clock,
    logger: silentLogger,
    meters: new WorkQueues(clock),
    informers: new Informers(client, { clock, logger: silentLogger, signal }),
    features,
    nodes: [],
    loadBalancerRanges: [],
  }
  const environment: unknown = parts
  return environment as ClusterEnvironment
}
