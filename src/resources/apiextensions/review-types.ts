/** What is said to and by a webhook that converts objects. */
export const conversionReviewTypes = `
type ConversionRequest # Objects to be converted.
  uid 1 UID # Tells the request from others; the answer has the same.
  desiredAPIVersion 2 string # The group and version to convert to.
  objects 3 []RawExtension atomic # The objects, or lists of them.

type ConversionResponse # The objects, converted.
  uid 1 UID # That of the request.
  convertedObjects 2 []RawExtension atomic # The objects in their order, where all could be converted.
  result 3 meta.Status # Success, or Failure with what went wrong.

type ConversionReview typemeta # Asks a webhook to convert objects; never stored.
  request 1 *ConversionRequest? # What is asked.
  response 2 *ConversionResponse? # What the webhook answers.
`
