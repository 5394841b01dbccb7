import { CLUSTER_PARTS } from '../cluster/parts.ts'
import type { ClusterEnvironment, ClusterPart, ClusterSettings } from '../cluster/shared/environment.ts'
import { Informers } from '../cluster/shared/informers.ts'
import type { ClusterLoopParts } from '../control-plane/cluster-loop.ts'
import type { ClientIdentity } from '../control-plane/in-process-client.ts'
import type { ClusterPartName } from '../controllers/names.ts'

const PARTS: Readonly<Record<ClusterPartName, ClusterPart>> = CLUSTER_PARTS

/** Identity of a controller: its service account in kube-system, as with --use-service-account-credentials. */
const controllerIdentity = (name: string): ClientIdentity => ({
  user: {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  },
  userAgent: 'kube-controller-manager',
})

const MANAGER: ClientIdentity = {
  user: { name: 'system:kube-controller-manager', groups: ['system:authenticated'] },
  userAgent: 'kube-controller-manager',
}

const SCHEDULER: ClientIdentity = {
  user: { name: 'system:kube-scheduler', groups: ['system:authenticated'] },
  userAgent: 'kube-scheduler',
}

/** Identity of what the kubelets do that is not about one node: it registers them and writes their events. */
const KUBELETS: ClientIdentity = { ...controllerIdentity('kubelet'), userAgent: 'kubelet' }

const nodeIdentity = (name: string): ClientIdentity => ({
  user: { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] },
  userAgent: 'kubelet',
})

const IDENTITIES: Readonly<Partial<Record<ClusterPartName, ClientIdentity>>> = { scheduler: SCHEDULER, kubelet: KUBELETS }

/**
 * Service accounts of controllers that are not named like the controller: those to which the cluster roles of
 * controllers are bound. Roles of add-ons, such as adapters of metrics, name them as well.
 */
const ACCOUNTS: Readonly<Partial<Record<ClusterPartName, string>>> = {
  'bootstrap-signer-controller': 'bootstrap-signer',
  'certificatesigningrequest-approving-controller': 'certificate-controller',
  'certificatesigningrequest-cleaner-controller': 'certificate-controller',
  'certificatesigningrequest-signing-controller': 'certificate-controller',
  'daemonset-controller': 'daemon-set-controller',
  'endpoints-controller': 'endpoint-controller',
  'endpointslice-mirroring-controller': 'endpointslicemirroring-controller',
  'horizontal-pod-autoscaler-controller': 'horizontal-pod-autoscaler',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': 'kube-apiserver-serving-clustertrustbundle-publisher',
  'legacy-serviceaccount-token-cleaner-controller': 'legacy-service-account-token-cleaner',
  'node-ipam-controller': 'node-controller',
  'node-lifecycle-controller': 'node-controller',
  'persistentvolume-attach-detach-controller': 'attachdetach-controller',
  'persistentvolume-binder-controller': 'persistent-volume-binder',
  'persistentvolume-expander-controller': 'expand-controller',
  'pod-garbage-collector-controller': 'pod-garbage-collector',
  'podcertificaterequest-cleaner-controller': 'podcertificaterequestcleaner',
  'replicationcontroller-controller': 'replication-controller',
  'resourceclaim-controller': 'resource-claim-controller',
  'service-cidr-controller': 'service-cidrs-controller',
  'service-lb-controller': 'service-controller',
  'storageversion-garbage-collector-controller': 'storage-version-garbage-collector',
  'taint-eviction-controller': 'node-controller',
  'token-cleaner-controller': 'token-cleaner',
}

const identityOf = (name: ClusterPartName): ClientIdentity => IDENTITIES[name] ?? controllerIdentity(ACCOUNTS[name] ?? name)

/** Parts of the cluster that run, and their settings. */
export interface ClusterSelection extends ClusterSettings {
  readonly names: readonly ClusterPartName[]
}

/**
 * Runs the named parts of the cluster until the signal aborts. They share informers, and know nothing else of each
 * other.
 */
export async function runCluster({ names, ...settings }: ClusterSelection, loop: ClusterLoopParts, signal: AbortSignal): Promise<void> {
  const { clientOf, clock, logger, meters, gates, random, synced } = loop
  // Watches that are cut are opened again after a delay of the machine's clock: time of the API may stand still.
  const informers = new Informers(clientOf(MANAGER), { clock: meters.pauses, logger, signal })
  const env: Omit<ClusterEnvironment, 'client' | 'random'> = {
    ...settings,
    clock,
    logger,
    meters,
    informers,
    features: gates,
    clientOfNode: name => clientOf(nodeIdentity(name)),
  }
  const running = names.map(name => PARTS[name]({ ...env, random: random.branch(name), client: clientOf(identityOf(name)) }, signal))
  // Parts register their handlers in the turn in which the informers have synced.
  void informers.synced().then(() => setImmediate(synced))
  await Promise.all([...running, informers.ended()])
}
