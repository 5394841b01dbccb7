import { BUILT_CONTROLLERS } from '../../src/controllers/names.ts'

/** Names of controllers in `--controllers`, by the files of the oracle that are not named after one. */
const NAMES: Readonly<Record<string, string>> = {
  attachdetach: 'persistentvolume-attach-detach-controller',
  certificates: 'certificatesigningrequest-signing-controller',
  endpointslicemirroring: 'endpointslice-mirroring-controller',
  garbagecollector: 'garbage-collector-controller',
  horizontalpodautoscaler: 'horizontal-pod-autoscaler-controller',
  nodeipam: 'node-ipam-controller',
  nodelifecycle: 'node-lifecycle-controller',
  podgc: 'pod-garbage-collector-controller',
  'root-ca-publisher': 'root-ca-certificate-publisher-controller',
  'small-controllers': 'ttl-controller',
  tainteviction: 'taint-eviction-controller',
  ttlafterfinished: 'ttl-after-finished-controller',
}

const built: readonly string[] = BUILT_CONTROLLERS

/** Reports whether the controller of a file of the oracle is built. */
export const isControllerBuilt = (file: string): boolean => built.includes(NAMES[file] ?? `${file}-controller`)
