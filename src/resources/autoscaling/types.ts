import type { TypePackage } from '../../schema/idl.ts'

/** Scale, of autoscaling/v1. */
export const autoscalingTypes: TypePackage = {
  id: 'autoscaling',
  definition: 'io.k8s.api.autoscaling.v1',
  source: `

type Scale typemeta # How many replicas an object wants and has.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ScaleSpec? # What is wanted.
  status 3 ScaleStatus? # What is, as last reported; not set by those who want something.

type ScaleSpec
  replicas 1 int32?

type ScaleStatus
  replicas 1 int32
  selector 2 string?
`,
}
