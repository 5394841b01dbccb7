import { failure, type StatusError } from './status.ts'

/** Reason and text of a status code that came without a Status; `$` stands for what the other server said. */
const ANSWERS: Readonly<Record<number, readonly [reason: string, text: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', '$'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', '$'],
  409: ['Conflict', 'the server reported a conflict'],
  415: ['UnsupportedMediaType', '$'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
}

/**
 * The Status of an answer of another server that is none itself, in apimachinery's words (NewGenericServerResponse with an empty verb). `about`: the object that was asked for, where
 * it was one.
 */
export function serverResponse(status: number, about: { resource: string; name: string } | undefined, said: string): StatusError {
  const [reason, text] = ANSWERS[status] ?? [status >= 500 ? 'InternalError' : '', textOf(status, said)]
  const message = text.replace('$', () => said)
  return about
    ? failure(status, reason, `${message} ( ${about.resource} ${about.name})`, { name: about.name, kind: about.resource })
    : failure(status, reason, message)
}

const textOf = (status: number, said: string): string =>
  status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`
