import iconUrl from "../icon.svg";

export const Brand = () => (
  <span className="brand">
    <img src={iconUrl} width={24} height={24} alt="" />
    Headwater
  </span>
);
