/** Controllers that can be disabled, by their names in kube-controller-manager. */
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

/** Name of a controller that `--controllers` can enable or disable. */
export type ControllerName = (typeof CONTROLLER_NAMES)[number]

const NAMES: ReadonlySet<string> = new Set(CONTROLLER_NAMES)

/** Whether `--controllers` accepts the name. */
export const isControllerName = (name: string): name is ControllerName => NAMES.has(name)
