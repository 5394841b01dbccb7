import type { TypePackage } from '../../schema/idl.ts'

/**
 * The types of events.k8s.io/v1beta1, as earlier releases served them. Objects of such versions are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderEventsTypes: readonly TypePackage[] = [
  {
    id: 'eventsV1beta1',
    definition: 'io.k8s.api.events.v1beta1',
    source: `
types Event EventList EventSeries like events
`,
  },
]
