import { replicaSetController, replicationController } from './controllers/replicaset/controller.ts'
import type { ClusterPart } from './shared/environment.ts'

/** The parts of a cluster, by their names in `--controllers`. */
export const CLUSTER_PARTS = {
  'replicaset-controller': replicaSetController,
  'replicationcontroller-controller': replicationController,
} as const satisfies Readonly<Record<string, ClusterPart>>
