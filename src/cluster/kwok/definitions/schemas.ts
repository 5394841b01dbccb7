import type { JsonObject as Schema } from '../../../api/meta/object.ts'

/** A text, which may be empty. */
export const text = (description?: string): Schema => ({ type: 'string', ...(description !== undefined && { description }) })
/** A text that is not empty. */
export const requiredText = (description?: string): Schema => ({ ...text(description), minLength: 1 })
export const flag = (description: string): Schema => ({ type: 'boolean', description })
export const integer = (description: string, rest: Schema = {}): Schema => ({ type: 'integer', description, ...rest })
/** A text that is one of the values. */
export const oneOf = (description: string, ...values: string[]): Schema => ({ type: 'string', enum: values, description })
/** A list, which apply replaces as a whole. */
export const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })

/** An object. @param required names of members that must be set. */
export const object = (properties: Record<string, Schema>, description?: string, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(description !== undefined && { description }),
  ...(required.length > 0 && { required: [...required] }),
})

/** A map of texts. */
export const textMap = (description: string): Schema => ({ type: 'object', additionalProperties: { type: 'string' }, description })

const condition = object(
  {
    type: requiredText('Accepted: whether the object takes effect.'),
    status: text('True or False.'),
    reason: requiredText('A word for the cause of the status.'),
    message: text('The cause of the status for people. It lists every invalid field.'),
    lastTransitionTime: { type: 'string', format: 'date-time', description: 'When the status last changed.' },
  },
  undefined,
  ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
)

/** Status of every kind. */
export const STATUS: Schema = object({
  conditions: {
    ...list(condition, 'Whether the object takes effect, and why not.'),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  },
})
