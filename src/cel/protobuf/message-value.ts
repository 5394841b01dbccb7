import { StructValue } from '../values/struct.ts'

/** A protobuf message that is not represented by another type. */
export class MessageValue extends StructValue {}
