/** The loops that can be left out, by the names that kube-controller-manager gives them. */
export const CONTROLLER_NAMES = [
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'resourcequota-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'volumeattributesclass-protection-controller',
  'validatingadmissionpolicy-status-controller',
] as const

/** A controller that `--controllers` can switch. */
export type ControllerName = (typeof CONTROLLER_NAMES)[number]

const names: ReadonlySet<string> = new Set(CONTROLLER_NAMES)

/** Whether `--controllers` may name it. */
export const isControllerName = (name: string): name is ControllerName => names.has(name)
