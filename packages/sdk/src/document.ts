/**
 * Reads a member of the document. An element with the name of a member, as `<form name="title">`, hides it; the prototype
 * still has it.
 */
export function documentMember<Name extends keyof Document>(name: Name, page = document): Document[Name] {
  const member = page[name];
  return Object(member) === member ? Reflect.get(Document.prototype, name, page) : member;
}
