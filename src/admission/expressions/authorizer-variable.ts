import { type AuthorizationQuestion, type AuthorizationResult, AuthorizerValue } from '../../cel/functions/authorization.ts'
import { ValuePending } from '../../cel/program/pending.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import type { RequestAttributes, User } from '../../meta/context.ts'
import { nonResourceAttributes, resourceAttributes } from '../../meta/request-attributes.ts'

/** Returns the `authorizer` variable for the expressions of one request. Each distinct check is authorized once. */
export function authorizerOf(authorize: Authorizer['authorize'], user: User, signal: AbortSignal): AuthorizerValue {
  const answers = new Map<string, AuthorizationResult>()
  return new AuthorizerValue(question => {
    const key = JSON.stringify(question)
    const known = answers.get(key)
    if (known) return known
    throw new ValuePending(
      answerTo(question, authorize, user, signal).then(answer => {
        answers.set(key, answer)
      }),
    )
  })
}

/** Authorizes one check of an expression. An error becomes a value that the expression can inspect with `errored()`. */
async function answerTo(
  question: AuthorizationQuestion,
  authorize: Authorizer['authorize'],
  user: User,
  signal: AbortSignal,
): Promise<AuthorizationResult> {
  try {
    const { decision, reason } = await authorize(questionUser(question, user), requestOf(question), signal)
    return { allowed: decision === 'allow', reason }
  } catch (error) {
    return { allowed: false, reason: '', error: errorMessage(error) }
  }
}

function questionUser({ serviceAccount }: AuthorizationQuestion, user: User): User {
  if (!serviceAccount) return user
  const { namespace, name } = serviceAccount
  return { name: `system:serviceaccount:${namespace}:${name}`, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] }
}

/** Converts a check to request attributes. Field and label selectors are dropped: no authorizer evaluates them. */
function requestOf(question: AuthorizationQuestion): RequestAttributes {
  if ('path' in question) return nonResourceAttributes(question.verb, question.path)
  const { verb, group, resource, subresource, namespace, name } = question
  return resourceAttributes({ verb, group, version: '*', namespace, resource, subresource, name })
}
