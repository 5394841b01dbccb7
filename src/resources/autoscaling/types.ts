import type { TypePackage } from '../../schema/idl.ts'

/** Scale, of autoscaling/v1. */
export const autoscalingTypes: TypePackage = {
  id: 'autoscaling',
  definition: 'io.k8s.api.autoscaling.v1',
  source: `

type Scale typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ScaleSpec?
  status 3 ScaleStatus?

type ScaleSpec
  replicas 1 int32?

type ScaleStatus
  replicas 1 int32
  selector 2 string?
`,
}
