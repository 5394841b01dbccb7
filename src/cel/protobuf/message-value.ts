import { StructValue } from '../values/struct.ts'

/** A message of protobuf that is a value of its own. */
export class MessageValue extends StructValue {}
