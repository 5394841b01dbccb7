/** The loops that can be left out, by the names that kube-controller-manager gives them. */
export const CONTROLLER_NAMES = [
  'namespace-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'validatingadmissionpolicy-status-controller',
] as const

export type ControllerName = (typeof CONTROLLER_NAMES)[number]

export const isControllerName = (name: string): name is ControllerName => (CONTROLLER_NAMES as readonly string[]).includes(name)
