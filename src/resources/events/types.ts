import type { TypePackage } from '../../schema/idl.ts'

/** The types of events.k8s.io/v1. */
export const eventsTypes: TypePackage = {
  id: 'events',
  definition: 'io.k8s.api.events.v1',
  source: `
type Event typemeta
  metadata 1 meta.ObjectMeta optional
  eventTime 2 MicroTime
  series 3 *EventSeries?
  reportingController 4 string omitempty optional
  reportingInstance 5 string omitempty optional
  action 6 string omitempty optional
  reason 7 string omitempty optional
  regarding 8 core.ObjectReference?
  related 9 *core.ObjectReference?
  note 10 string?
  type 11 string omitempty optional
  deprecatedSource 12 core.EventSource? deprecated
  deprecatedFirstTimestamp 13 Time? deprecated
  deprecatedLastTimestamp 14 Time? deprecated
  deprecatedCount 15 int32? deprecated

type EventList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Event

type EventSeries
  count 1 int32
  lastObservedTime 2 MicroTime
`,
}
