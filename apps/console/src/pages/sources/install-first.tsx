import type { ReactNode } from "react";
import { ButtonLink } from "../../ui/link.tsx";
import { Empty } from "../../ui/states.tsx";

interface InstallFirstProps {
  readonly title: string;
  readonly sourceId: string;
  readonly children: ReactNode;
}

/** Where nothing has come yet: what leads to something. */
export const InstallFirst = ({ title, sourceId, children }: InstallFirstProps) => (
  <Empty
    title={title}
    action={
      <ButtonLink to="/analytics/setup/install" search={{ sourceId }}>
        Install the snippet
      </ButtonLink>
    }
  >
    {children}
  </Empty>
);
