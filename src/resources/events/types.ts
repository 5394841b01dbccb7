import type { TypePackage } from '../../schema/idl.ts'

/** The types of events.k8s.io/v1. */
export const eventsTypes: TypePackage = {
  id: 'events',
  definition: 'io.k8s.api.events.v1',
  source: `
type Event typemeta # A report of something that happened to an object; kept for a while, then dropped. The newer form of the core group's events, which are the same objects.
  metadata 1 meta.ObjectMeta optional # Name, labels and all else that every object has.
  eventTime 2 MicroTime # When it was first observed.
  series 3 *EventSeries? # Present where the same has happened again and again: it tells how often, and when last.
  reportingController 4 string omitempty optional # Name of the controller that reports it, such as example.com/controller.
  reportingInstance 5 string omitempty optional # Which instance of the controller: at most 128 characters.
  action 6 string omitempty optional # What was done, or failed to be done, to the object: a word for programs, at most 128 characters.
  reason 7 string omitempty optional # Why it was done: a word for programs, at most 128 characters.
  regarding 8 core.ObjectReference? # The object that it is about.
  related 9 *core.ObjectReference? # A second object that took part, where there is one.
  note 10 string? # What happened, for people: at most 1024 bytes.
  type 11 string omitempty optional # Normal or Warning.
  deprecatedSource 12 core.EventSource? deprecated # Who reports it, in events of the core group.
  deprecatedFirstTimestamp 13 Time? deprecated # When it was first observed, in events of the core group.
  deprecatedLastTimestamp 14 Time? deprecated # When it was last observed, in events of the core group.
  deprecatedCount 15 int32? deprecated # How often it was observed, in events of the core group.

type EventList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Event

type EventSeries
  count 1 int32 # How often it was observed until the last time: at least 2.
  lastObservedTime 2 MicroTime # When it was last observed.
`,
}
