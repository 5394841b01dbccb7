import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of apiregistration.k8s.io/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderApiRegistrationTypes: readonly TypePackage[] = [
  {
    id: 'apiregistrationV1beta1',
    definition: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1',
    source: `
types APIService APIServiceCondition APIServiceList APIServiceSpec APIServiceStatus ServiceReference like apiregistration
`,
  },
]
