import { TextLink } from "./link.tsx";
import { Empty } from "./states.tsx";

export const Missing = () => (
  <Empty title="There is no such page" action={<TextLink to="/sources">To the sources</TextLink>} />
);
