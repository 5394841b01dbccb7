import { bootstrapSigner } from './controllers/bootstrapsigner/controller.ts'
import { certificateApprovingController } from './controllers/certificateapproving/controller.ts'
import { certificateCleaner } from './controllers/certificatecleaner/controller.ts'
import { certificateSigningController } from './controllers/certificatesigning/controller.ts'
import { cronJobController } from './controllers/cronjob/controller.ts'
import { daemonSetController } from './controllers/daemonset/controller.ts'
import { deploymentController } from './controllers/deployment/controller.ts'
import { deviceTaintEviction } from './controllers/devicetainteviction/controller.ts'
import { disruptionController } from './controllers/disruption/controller.ts'
import { endpointsController } from './controllers/endpoints/controller.ts'
import { endpointSliceController } from './controllers/endpointslice/controller.ts'
import { endpointSliceMirroringController } from './controllers/endpointslicemirroring/controller.ts'
import { ephemeralVolumeController } from './controllers/ephemeralvolume/controller.ts'
import { horizontalPodAutoscalerController } from './controllers/horizontalpodautoscaler/controller.ts'
import { jobController } from './controllers/job/controller.ts'
import { legacyTokenCleaner } from './controllers/legacytokencleaner/controller.ts'
import { nodeIpamController } from './controllers/nodeipam/controller.ts'
import { nodeLifecycleController } from './controllers/nodelifecycle/controller.ts'
import { nodeTtlController } from './controllers/nodettl/controller.ts'
import { persistentVolumeAttachDetach } from './controllers/persistentvolumeattachdetach/controller.ts'
import { persistentVolumeBinder } from './controllers/persistentvolumebinder/controller.ts'
import { persistentVolumeExpander } from './controllers/persistentvolumeexpander/controller.ts'
import { podCertificateCleaner } from './controllers/podcertificatecleaner/controller.ts'
import { podGarbageCollector } from './controllers/podgc/controller.ts'
import { replicaSetController, replicationController } from './controllers/replicaset/controller.ts'
import { resourceClaimController } from './controllers/resourceclaim/controller.ts'
import { resourcePoolStatusController } from './controllers/resourcepoolstatus/controller.ts'
import { serviceCidrController } from './controllers/servicecidrs/controller.ts'
import { serviceLoadBalancerController } from './controllers/servicelb/controller.ts'
import { statefulSetController } from './controllers/statefulset/controller.ts'
import { storageVersionGarbageCollector } from './controllers/storageversiongc/controller.ts'
import { storageVersionMigrator } from './controllers/storageversionmigrator/controller.ts'
import { taintEvictionController } from './controllers/tainteviction/controller.ts'
import { tokenCleaner } from './controllers/tokencleaner/controller.ts'
import { trustBundlePublisher } from './controllers/trustbundlepublisher/controller.ts'
import { ttlAfterFinishedController } from './controllers/ttlafterfinished/controller.ts'
import { kubelets } from './nodes/kubelets.ts'
import { scheduler } from './scheduler/scheduler.ts'
import type { ClusterPart } from './shared/environment.ts'
import { volumeDriver } from './volumes/driver.ts'

/** The parts of a cluster, by their names in `--controllers`. */
export const CLUSTER_PARTS = {
  'deployment-controller': deploymentController,
  'replicaset-controller': replicaSetController,
  'replicationcontroller-controller': replicationController,
  'statefulset-controller': statefulSetController,
  'daemonset-controller': daemonSetController,
  'job-controller': jobController,
  'cronjob-controller': cronJobController,
  'ttl-after-finished-controller': ttlAfterFinishedController,
  scheduler,
  kubelet: kubelets,
  'volume-driver': volumeDriver,
  'horizontal-pod-autoscaler-controller': horizontalPodAutoscalerController,
  'bootstrap-signer-controller': bootstrapSigner,
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': trustBundlePublisher,
  'podcertificaterequest-cleaner-controller': podCertificateCleaner,
  'legacy-serviceaccount-token-cleaner-controller': legacyTokenCleaner,
  'service-cidr-controller': serviceCidrController,
  'service-lb-controller': serviceLoadBalancerController,
  'storage-version-migrator-controller': storageVersionMigrator,
  'storageversion-garbage-collector-controller': storageVersionGarbageCollector,
  'token-cleaner-controller': tokenCleaner,
  'ttl-controller': nodeTtlController,
  'certificatesigningrequest-approving-controller': certificateApprovingController,
  'certificatesigningrequest-cleaner-controller': certificateCleaner,
  'certificatesigningrequest-signing-controller': certificateSigningController,
  'device-taint-eviction-controller': deviceTaintEviction,
  'disruption-controller': disruptionController,
  'endpoints-controller': endpointsController,
  'endpointslice-controller': endpointSliceController,
  'endpointslice-mirroring-controller': endpointSliceMirroringController,
  'persistentvolume-attach-detach-controller': persistentVolumeAttachDetach,
  'persistentvolume-binder-controller': persistentVolumeBinder,
  'node-ipam-controller': nodeIpamController,
  'persistentvolume-expander-controller': persistentVolumeExpander,
  'ephemeral-volume-controller': ephemeralVolumeController,
  'node-lifecycle-controller': nodeLifecycleController,
  'pod-garbage-collector-controller': podGarbageCollector,
  'resourceclaim-controller': resourceClaimController,
  'resourcepoolstatusrequest-controller': resourcePoolStatusController,
  'taint-eviction-controller': taintEvictionController,
} as const satisfies Readonly<Record<string, ClusterPart>>
