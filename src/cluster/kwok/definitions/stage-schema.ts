import type { JsonObject as Schema } from '../../../api/meta/object.ts'
import { flag, integer, list, object, oneOf, text, textMap } from './schemas.ts'

const jqExpression = object({ expression: text('Query of jq about the object.') })
const celExpression = object({ expression: text('Expression of CEL. The variable self is the object.') })

/** A value that is read from the object. */
const valueFrom = (description: string): Schema =>
  object({ jq: jqExpression, cel: celExpression, expressionFrom: text('Deprecated: use jq.') }, description)

const milliseconds = (description: string): Schema => integer(description, { format: 'int64', minimum: 0 })

const delay = object(
  {
    durationMilliseconds: milliseconds('Time from the change that the stage matches to its steps.'),
    durationFrom: valueFrom(
      'Reads the time from the object: a duration, or a time at which the steps begin. Takes precedence over durationMilliseconds.',
    ),
    jitterDurationMilliseconds: milliseconds('Longest time. The time is drawn between durationMilliseconds and this one.'),
    jitterDurationFrom: valueFrom('Reads the longest time from the object. Takes precedence over jitterDurationMilliseconds.'),
  },
  'Time that passes before the steps. Default: none.',
)

const operation = {
  key: text('Query of jq about the object.'),
  operator: text('In, NotIn, Exists or DoesNotExist.'),
  values: list({ type: 'string' }, 'Values for In and NotIn.'),
}

const selector = object(
  {
    matchLabels: textMap('Labels that the object must have.'),
    matchAnnotations: textMap('Annotations that the object must have.'),
    matchExpressions: list(
      object({ jq: object(operation), cel: celExpression, ...operation }),
      'Conditions that must all hold: each has jq, or cel, or the members of jq itself.',
    ),
  },
  'Objects to which the stage applies. Default: all of the resource.',
)

const event = object(
  { type: text('Normal or Warning.'), reason: text('Word for the cause.'), message: text('Message.') },
  'Event about the object.',
)
const finalizerItems = (description: string): Schema => list(object({ value: text('Name of the finalizer.') }), description)
const finalizers = object(
  { add: finalizerItems('Finalizers to add.'), remove: finalizerItems('Finalizers to remove.'), empty: flag('Removes all finalizers.') },
  'Changes of the finalizers of the object.',
)
const impersonation = object({ username: text('Name of the user.') }, 'User in whose name the request is sent.', ['username'])

const write = (...types: string[]): Record<string, Schema> => ({
  subresource: text('Subresource to patch, such as status.'),
  template: text('Go template of the patch, as YAML. The dot is the object.'),
  type: oneOf('Type of the patch. Default: strategic for nodes and pods, merge for other kinds.', ...types),
  impersonation,
})
const patch = object(
  { root: text('Member that the template describes, such as status. Default: the whole object.'), ...write('json', 'merge', 'strategic') },
  'Patch of the object.',
)
const apply = object(write('apply', 'merge', 'strategic'), 'Another object, which is created or patched.')
const deletion = flag('Deletes the object.')

const next = object(
  {
    event,
    finalizers,
    delete: deletion,
    patches: list(patch, 'Patches of the object.'),
    statusTemplate: text('Go template of the status, as YAML.'),
    statusSubresource: { ...text('Subresource that the status is written to.'), default: 'status' },
    statusPatchAs: impersonation,
  },
  'Deprecated: use steps.',
)

/** Spec of a Stage. */
export const STAGE_SPEC: Schema = object(
  {
    resourceRef: object(
      { apiGroup: { ...text('Group and version, such as v1 or apps/v1.'), default: 'v1' }, kind: text('Kind, such as Pod.') },
      'Resource to whose objects the stage applies.',
      ['kind'],
    ),
    selector,
    weight: integer('Weight among the stages that match an object. One is drawn by weight.', { minimum: 0, default: 0 }),
    weightFrom: valueFrom('Reads the weight from the object. Takes precedence over weight.'),
    delay,
    steps: list(object({ event, finalizers, delete: deletion, patch, apply }), 'Actions of the stage, in order.'),
    next,
    immediateNextStage: flag('Whether the next stage is chosen from the result of the steps, without waiting for a watch event.'),
  },
  undefined,
  ['resourceRef'],
)
